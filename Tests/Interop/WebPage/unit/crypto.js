// @ts-check
import { blake2b } from '/crypto/blake2b.js'
import { openSecretbox, openXChaCha, sealSecretbox, sealXChaCha } from '/crypto/boxes.js'
import { concat, fromBase64, fromBase64URL, fromHex, textOf, toBase64, toHex, utf8 } from '/crypto/bytes.js'
import { MessageCipher } from '/crypto/cipher.js'
import * as curves from '/crypto/curves.js'
import * as names from '/crypto/names.js'
import { SecretStream } from '/crypto/secretstream.js'
import { SHA256 } from '/crypto/sha256.js'
import { headerBytes } from '/crypto/suites.js'
import { same, test, throws, vectors } from './harness.js'
import { ANSWERS, PUBLIC_KEYS } from './known.js'

/** @param {Uint8Array} bytes */
function flipped(bytes) {
    const changed = bytes.slice()
    changed[changed.length >> 1] ^= 1
    return changed
}

/** A key pair of known bytes. @param {Uint8Array} secret */
async function keyPair(secret) {
    const encoded = concat(fromHex('302e020100300506032b656e04220420'), secret)
    const key = await crypto.subtle.importKey('pkcs8', encoded, { name: 'X25519' }, true, ['deriveBits'])
    const { x } = await crypto.subtle.exportKey('jwk', key)
    return { privateKey: key, publicKey: /** @type {Uint8Array} */ (fromBase64URL(x ?? '')) }
}

const counting = (/** @type {number} */ first) => Uint8Array.from({ length: 32 }, (_, index) => first + index)

const ALICE = { user: 'alice', device: 'phone' }
const BOB = { user: 'bob', device: 'phone' }
const CAROL = { user: 'carol', device: 'tablet' }
const parties = async () => Promise.all([1, 33, 65].map((first) => keyPair(counting(first))))

test('secret boxes are those of libsodium, and a changed bit opens nothing', async () => {
    for (const [key, nonce, text, sealed] of (await vectors('vectors.json')).secretbox) {
        same(sealSecretbox(fromHex(text), fromHex(nonce), fromHex(key)), sealed)
        same(openSecretbox(fromHex(sealed), fromHex(nonce), fromHex(key)), text)
        same(openSecretbox(flipped(fromHex(sealed)), fromHex(nonce), fromHex(key)), null)
    }
})

test('XChaCha20-Poly1305 is that of libsodium, and a changed bit opens nothing', async () => {
    for (const [key, nonce, text, data, sealed] of (await vectors('vectors.json')).xchacha) {
        same(sealXChaCha(fromHex(text), fromHex(data), fromHex(nonce), fromHex(key)), sealed)
        same(openXChaCha(fromHex(sealed), fromHex(data), fromHex(nonce), fromHex(key)), text)
        same(openXChaCha(flipped(fromHex(sealed)), fromHex(data), fromHex(nonce), fromHex(key)), null)
    }
})

test('BLAKE2b and SHA-256 are those of hashlib, in parts too', async () => {
    for (const [key, text, blake, sha] of (await vectors('vectors.json')).hash) {
        same(blake2b(fromHex(text), blake.length / 2, fromHex(key)), blake)
        const parts = new SHA256()
        for (let at = 0; at < text.length; at += 74) parts.update(fromHex(text.slice(at, at + 74)))
        same(parts.finish(), sha)
    }
})

test('streams are those of libsodium, chunk by chunk', async () => {
    for (const { key, header, chunks } of (await vectors('vectors.json')).stream) {
        const sealing = new SecretStream(fromHex(key), fromHex(header))
        const opening = new SecretStream(fromHex(key), fromHex(header))
        for (const [text, tag, sealed] of chunks) {
            same(sealing.seal(fromHex(text), tag), sealed)
            same(new SecretStream(fromHex(key), fromHex(header)).open(flipped(fromHex(sealed))), null)
            same(opening.open(fromHex(sealed)), { content: fromHex(text), tag })
        }
    }
})

test('sealed boxes open, and open elsewhere', async () => {
    for (const [secret, publicKey, text, sealed] of (await vectors('vectors.json')).sealed) {
        const pair = await keyPair(fromHex(secret))
        same(pair.publicKey, publicKey)
        same(await curves.openBox(fromHex(sealed), pair), text)
        same(await curves.openBox(await curves.sealBox(fromHex(text), pair.publicKey), pair), text)
        same(await curves.openBox(flipped(fromHex(sealed)), pair), null)
    }
})

test('the public keys of the figures', async () => {
    same((await parties()).map((pair) => pair.publicKey), PUBLIC_KEYS.map(fromHex))
})

test('each suite gives exactly the known bytes, and opens them', async () => {
    const [alice, bob, carol] = await parties()
    for (const answer of ANSWERS) {
        const header = {
            suite: answer.suite, conversation: '7f310000-0000-4000-8000-000000000002',
            id: '0b0c0000-0000-4000-8000-000000000001', sender: ALICE, type: 'text',
            replyTo: '0b0c0000-0000-4000-8000-000000000003', kind: 'edit',
            target: '0b0c0000-0000-4000-8000-000000000004', expiresIn: 3600,
        }
        let next = 0
        const random = (/** @type {number} */ count) => Uint8Array.from({ length: count }, () => next++)
        const sender = new MessageCipher(ALICE, alice, [], random)
        const text = utf8('{"text":"Hello"}')
        const recipients = answer.keys === null
            ? { key: bob.publicKey } : [{ ...BOB, key: bob.publicKey }, { ...CAROL, key: carol.publicKey }]
        const sealed = await sender.seal(text, header, recipients)
        same(sealed.nonce, answer.nonce)
        same(sealed.content, answer.content, answer.suite)
        same(sealed.keys?.map(({ key }) => toHex(key)) ?? null, answer.keys)
        const receiver = new MessageCipher(BOB, bob)
        same(await receiver.open(sealed, header, () => [carol.publicKey, alice.publicKey]), text)
        same(await sender.open(sealed, header, (named) => !named || named.user === 'bob' ? [bob.publicKey] : []), text)
        const cases = [
            { ...header, id: header.conversation }, { ...header, conversation: header.id },
            { ...header, sender: CAROL }, { ...header, type: 'file' }, { ...header, replyTo: null },
            { ...header, kind: 'message' }, { ...header, target: null }, { ...header, expiresIn: 3601 },
        ]
        // The pairwise key binds a conversation and both keys only with AES; the header of a nacl-box stands inside.
        for (const changed of cases) {
            const code = answer.suite === 'nacl-box' && answer.keys === null ? 'header_mismatch' : 'not_authentic'
            await throws(() => receiver.open(sealed, changed, () => [alice.publicKey]), code)
        }
        for (const changed of [{ ...sealed, content: flipped(sealed.content) },
            { ...sealed, nonce: flipped(sealed.nonce) }]) {
            await throws(() => receiver.open(changed, header, () => [alice.publicKey]), 'not_authentic')
        }
        await throws(() => receiver.open(sealed, { ...header, suite: 'other' }, () => [alice.publicKey]),
            'unknown_suite')
        await throws(() => receiver.open(sealed, header, () => []), 'sender_keys_unknown')
        await throws(() => receiver.open(sealed, header, () => [new Uint8Array(32)]), 'weak_key')
        await throws(() => receiver.open({ ...sealed, nonce: new Uint8Array(11) }, header, () => [alice.publicKey]),
            'malformed')
        if (sealed.keys === null) continue
        const without = { ...sealed, keys: sealed.keys.slice(1) }
        await throws(() => receiver.open(without, header, () => [alice.publicKey]), 'not_for_this_device')
        const leftOut = { ...sealed, keys: [{ ...BOB, key: new Uint8Array(16) }] }
        await throws(() => receiver.open(leftOut, header, () => [alice.publicKey]), 'left_out')
        // What another one with the content key seals is not the sender's.
        await throws(() => receiver.open(sealed, header, () => [carol.publicKey]), 'not_authentic')
    }
})

test('messages of the Python device open', async () => {
    const figures = await vectors('../../PythonDevice/figures.json')
    const keys = new Map()
    for (const device of figures.devices) {
        const pair = await keyPair(fromHex(device.secret_key))
        same(pair.publicKey, device.identity_key)
        const part = names.signedPart({ user: device.user_id, device: device.device_id }, pair.publicKey)
        same(await curves.verifies(fromHex(device.signature), part, fromHex(device.signing_key)), true)
        same(await curves.verifies(flipped(fromHex(device.signature)), part, fromHex(device.signing_key)), false)
        keys.set(`${device.user_id}/${device.device_id}`, pair)
    }
    const alice = keys.get('alice/phone').publicKey
    for (const message of figures.messages) {
        const header = {
            suite: message.suite, conversation: message.conversation_id, id: message.id,
            sender: { user: message.sender_id, device: message.sender_device_id }, type: message.message_type,
            replyTo: message.reply_to, kind: 'message', target: null, expiresIn: message.expires_in,
        }
        same(headerBytes(header), message.header)
        const sealed = {
            nonce: fromHex(message.nonce), content: fromHex(message.encrypted_content),
            keys: message.recipient_keys?.map((/** @type {any} */ key) => ({
                user: key.user_id, device: key.device_id, key: fromHex(key.encrypted_key),
            })) ?? null,
        }
        const laptop = new MessageCipher({ user: 'paula', device: 'laptop' }, keys.get('paula/laptop'))
        same(await laptop.open(sealed, header, () => [alice]), message.content)
    }
    const prints = await Promise.all([
        names.fingerprint('alice', [alice]),
        names.fingerprint('paula', ['paula/laptop', 'paula/tablet'].map((name) => keys.get(name).publicKey)),
    ])
    same(names.safetyDigits(prints[0], prints[1]), figures.safety_number)
})

test('certificates, link codes, fingerprints, recovery keys and backups', async () => {
    const { account } = await vectors('vectors.json')
    const [seed, identity, signing, link] = ['seed', 'identity', 'signing',
        'link'].map((name) => fromHex(account[name]))
    const pair = await curves.signingOf(seed)
    same(pair.publicKey, account.public)
    const part = names.certifiedPart(ALICE, identity, signing, account.issued_at)
    same(await curves.sign(pair.privateKey, part), account.certificate)
    same(await curves.verifies(fromHex(account.certificate), part, pair.publicKey), true)
    same(names.keyIDOf(identity), account.key_id)
    const offer = { identity, signing, link }
    same(names.linkCode(ALICE, offer), account.link_code)
    same(names.readLinkCode(account.link_code)?.binds(offer), true)
    same(names.readLinkCode(account.link_code)?.binds({ ...offer, link: signing }), false)
    for (const text of ['', 'parley-link/1/a/b', `${account.link_code}/`, account.link_code.replace('alice', 'a+b')]) {
        same(names.readLinkCode(text), null)
    }
    same(await names.fingerprint('alice', pair.publicKey), account.fingerprint)
    same(await names.fingerprint('bob', [link, identity, signing]), account.devices_fingerprint)
    same(names.groupsOf(fromHex(account.fingerprint)), account.groups)
    const recovery = fromHex(account.recovery)
    same(names.recoveryText(recovery), account.recovery_text)
    same(names.readRecoveryText(account.recovery_text.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')),
        recovery)
    for (let at = 0; at < 34; at++) {
        const letter = account.recovery_text[at]
        if (letter === ' ') continue
        same(names.readRecoveryText(account.recovery_text.slice(0, at) + (letter === '7' ? '8' : '7')
            + account.recovery_text.slice(at + 1)), null)
    }
    same(names.openBackup(fromHex(account.backup), 'alice', recovery), seed)
    same(names.openBackup(fromHex(account.backup), 'bob', recovery), null)
    same(names.openBackup(names.sealBackup(seed, 'alice', recovery), 'alice', recovery), seed)
    same(await names.directConversation('alice', 'Bob_2'), account.direct)
    same(await names.directConversation('Bob_2', 'alice'), account.direct)
})

test('a safety code matches only the same keys of the same two', () => {
    const [one, other] = [counting(1).slice(0, 30), counting(50).slice(0, 30)]
    const theirs = names.safetyCode('bob', 'alice', other, one)
    const compared = (/** @type {string} */ code) => names.compareSafetyCode(code, 'alice', 'bob', one, other)
    same(compared(theirs), 'match')
    same(compared(names.safetyCode('alice', 'bob', one, other)), 'otherUsers')
    same(compared(names.safetyCode('bob', 'alice', other, other)), 'mismatch')
    same(compared(theirs.replace('/1/', '/2/')), 'newerVersion')
    for (const text of ['', 'hello', theirs.slice(0, -1), `${theirs}/`, 'x'.repeat(600)]) same(compared(text),
        'unreadable')
})

test('keys of low order are refused, in every spelling', async () => {
    const own = await curves.generateIdentity()
    for (const text of ['00', '01', 'ec', 'ed', 'ee']) {
        const point = fromHex(text + (text < '02' ? '00' : 'ff').repeat(30) + (text < '02' ? '00' : '7f'))
        for (const high of [0, 128]) {
            point[31] = (point[31] & 127) | high
            same(curves.isUsableIdentity(point), false)
            same(curves.isUsableSigner(point), false)
            same(await curves.agree(own.privateKey, point), new Uint8Array(32))
        }
    }
    same(curves.isUsableIdentity(own.publicKey), true)
})

test('base64 is canonical', () => {
    for (let length = 0; length < 40; length++) same(fromBase64(toBase64(counting(3).slice(0, length))),
        counting(3).slice(0, length))
    for (const text of ['A', 'AA', 'AAA', 'AB==', 'AAB=', 'AA=A', '====', 'AA==AA==', 'A-_/', ' AAA', 'AAAA\n']) {
        same(fromBase64(text), null, text)
    }
    same(textOf(utf8('naïve – 你好')), 'naïve – 你好')
})

test('X25519 is that of Wycheproof', async () => {
    for (const group of (await vectors('/corpora/wycheproof/x25519_test.json')).testGroups) {
        for (const { tcId, public: peer, private: secret, shared } of group.tests) {
            const pair = await keyPair(fromHex(secret))
            same(await curves.agree(pair.privateKey, fromHex(peer)), shared, `case ${tcId}`)
        }
    }
})

test('Ed25519 is that of Wycheproof', async () => {
    for (const group of (await vectors('/corpora/wycheproof/ed25519_test.json')).testGroups) {
        for (const { tcId, msg, sig, result } of group.tests) {
            const holds = await curves.verifies(fromHex(sig), fromHex(msg), fromHex(group.publicKey.pk))
            same(holds, result === 'valid', `case ${tcId}`)
        }
    }
})

test('AES-GCM is that of Wycheproof', async () => {
    for (const group of (await vectors('/corpora/wycheproof/aes_gcm_test.json')).testGroups) {
        if (group.keySize !== 256 || group.ivSize !== 96 || group.tagSize !== 128) continue
        for (const { tcId, key, iv, aad, msg, ct, tag, result } of group.tests) {
            const opened = await curves.openAES(
                await curves.importAES(fromHex(key)), fromHex(iv), fromHex(ct + tag), fromHex(aad))
            same(opened, result === 'valid' ? fromHex(msg) : null, `case ${tcId}`)
        }
    }
})
