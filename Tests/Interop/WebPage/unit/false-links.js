// @ts-check
/** The lies of Tests/Adversaries/LyingGateway while a device is linked, and about a backup, by their names there. */
import { fromBase64, toBase64 } from '/crypto/bytes.js'
import { generateIdentity, generateSigning, random, sealBox, sign, signingOf, verifies } from '/crypto/curves.js'
import { certifiedPart, linkCode, recoveryText, sealBackup } from '/crypto/names.js'
import { ClientError } from '/client/errors.js'
import { Members } from '/client/read.js'
import { Gateway } from './gateway.js'
import { same, test, throws } from './harness.js'
import { TIME, until, world } from './world.js'

const [SEED, FALSE_SEED] = [() => new Uint8Array(32).fill(7), () => new Uint8Array(32).fill(8)]

/** @param {Uint8Array} bytes but for one bit, in the middle */
const damaged = (bytes) => bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 1 : byte))

test('of a false approval nothing is adopted', async () => {
    const [honest, mallory] = await Promise.all([signingOf(SEED()), signingOf(FALSE_SEED())])
    const names = [
        'link.accountOfAttacker', 'link.seedOfAttacker', 'link.certificateOfAttacker',
        'link.certificateOfAnotherDevice', 'link.certificateDated', 'link.certificateDamaged',
        'link.certificateTruncated', 'link.sealDamaged', 'link.sealTruncated', 'link.sealForAnotherKey',
        'link.approvalOfAnotherDevice', 'link.approvalOfFormerOffer', 'link.approvalUnasked',
        'link.accountOfAttackerAfterwards', 'link.approvalSwallowed',
    ]
    for (const name of names) {
        const { client, context, alice, answers } = await world()
        let link = new Uint8Array(0)
        answers['links/offer'] = (fields) => {
            link = /** @type {any} */ (fromBase64(fields.link_key))
            return { device_id: 'web', expires_at: TIME }
        }
        const part = (device = 'web', time = Date.parse(TIME)) => (
            certifiedPart({ user: alice, device }, context.keys.identityKey, context.keys.signingKey, time))
        const [certificate, own] = [await sign(honest.privateKey, part()), await sign(mallory.privateKey, part())]
        if (name !== 'link.approvalUnasked') await client.linking.offer()
        const former = link
        if (name === 'link.approvalOfFormerOffer') await client.linking.offer()
        const seal = (seed = SEED(), key = name === 'link.approvalUnasked' ? context.keys.identityKey : link) =>
            sealBox(seed, key)
        const other = (await generateIdentity()).publicKey
        /** @type {Record<string, () => Promise<[Uint8Array, Uint8Array, string?]>>} */
        const lies = {
            'link.accountOfAttacker': async () => [own, await seal(FALSE_SEED())],
            'link.seedOfAttacker': async () => [certificate, await seal(FALSE_SEED())],
            'link.certificateOfAttacker': async () => [own, await seal()],
            'link.certificateOfAnotherDevice': async () => [await sign(honest.privateKey, part('phone')), await seal()],
            'link.certificateDated': async () => [await sign(honest.privateKey, part('web', Date.parse(TIME) - 1)),
                await seal()],
            'link.certificateDamaged': async () => [damaged(certificate), await seal()],
            'link.certificateTruncated': async () => [certificate.slice(0, 32), await seal()],
            'link.sealDamaged': async () => [certificate, damaged(await seal())],
            'link.sealTruncated': async () => [certificate, (await seal()).slice(0, -1)],
            'link.sealForAnotherKey': async () => [certificate, await seal(FALSE_SEED(), other)],
            'link.approvalOfAnotherDevice': async () => [certificate, await seal(), 'ghost'],
            'link.approvalOfFormerOffer': async () => [certificate, await seal(SEED(), former)],
            'link.approvalUnasked': async () => [own, await seal(FALSE_SEED())],
            'link.accountOfAttackerAfterwards': async () => [certificate, await seal()],
        }
        const hear = async (/** @type {[Uint8Array, Uint8Array, string?]} */ [signature, sealed, device = 'web']) => (
            client.linking.heardApproval(new Members({
                device_id: device, certificate: toBase64(signature), issued_at: TIME, sealed: toBase64(sealed),
            })))
        const ended = new AbortController()
        const approved = client.linking.approved(ended.signal).then(({ digits }) => digits, ({ code }) => code)
        if (name !== 'link.approvalSwallowed') await hear(await lies[name]()).catch(() => undefined)
        if (name === 'link.accountOfAttackerAfterwards') {
            await hear(await lies['link.accountOfAttacker']())
            const { adopt } = await client.linking.approved()
            answers['keys/publish'] = () => ({})
            await adopt()
            same(toBase64(/** @type {any} */ (context.keys.account)), toBase64(honest.publicKey), name)
            continue
        }
        setTimeout(() => ended.abort(), 50)
        const outcome = await approved
        // An account of the attacker's that fits together is refused by the person, who compares its digits.
        if (name === 'link.accountOfAttacker') same(/^\d{5} \d{5} \d{5}$/.test(outcome), true, name)
        else same(['gateway_fault', 'timeout'].includes(outcome), true, `${name}: ${outcome}`)
        same(client.isLinked, false, name)
    }
})

test('a false offer is not approved', async () => {
    const identity = async () => (await generateIdentity()).publicKey
    const offer = { identity: await identity(), signing: (await generateSigning()).publicKey, link: await identity() }
    /** @type {Record<string, any>} */
    const lies = {
        'link.offerOfAnotherIdentity': { identity_key: toBase64(await identity()) },
        'link.offerOfAnotherSigningKey': { signing_key: toBase64((await generateSigning()).publicKey) },
        'link.offerOfAnotherLinkKey': { link_key: toBase64(await identity()) },
        'link.offerOfLowOrderLinkKey': { link_key: toBase64(new Uint8Array(32)) },
        'link.offerOfAttacker': {
            identity_key: toBase64(await identity()), signing_key: toBase64((await generateSigning()).publicKey),
            link_key: toBase64(await identity()),
        },
        'link.offerUnderAnotherName': { device_id: 'ghost' },
        'link.offerTruncated': { link_key: toBase64(offer.link.slice(0, 16)) },
    }
    for (const [name, lie] of Object.entries(lies)) {
        const { client, context, alice, answers, asked } = await world()
        await context.keys.adopt(SEED(), null)
        answers['links/get'] = () => ({
            device_id: 'new', identity_key: toBase64(offer.identity), signing_key: toBase64(offer.signing),
            link_key: toBase64(offer.link), ...lie,
        })
        const code = linkCode({ user: alice, device: 'new' }, offer)
        const refusal = name === 'link.offerTruncated' ? 'bad_reply' : 'gateway_fault'
        await throws(() => client.linking.candidate(code), refusal)
        // Nor where the code is of the very keys that protect nothing.
        if (name === 'link.offerOfLowOrderLinkKey') {
            const weak = linkCode({ user: alice, device: 'new' }, { ...offer, link: new Uint8Array(32) })
            await throws(() => client.linking.candidate(weak), 'gateway_fault')
        }
        same(asked.some(({ operation }) => operation === 'links/approve'), false, name)
    }
})

test('what the gateway says of an offer or an approval is told, and nothing else is certified', async () => {
    /** @type {[string, string, string|null][]} the operation, its refusal, and that of the approval */
    const lies = [
        ['link.offerWithheld', 'links/get', 'not_found'], ['link.approvalCalledSecond', 'links/approve', 'conflict'],
        ['link.approvalCalledLate', 'links/approve', 'not_found'], ['link.approvalSwallowed', '', null],
    ]
    const offer = {
        identity: (await generateIdentity()).publicKey, signing: (await generateSigning()).publicKey,
        link: (await generateIdentity()).publicKey,
    }
    for (const [name, operation, refusal] of lies) {
        const { client, context, alice, answers, asked } = await world()
        await context.keys.adopt(SEED(), null)
        Object.assign(answers, {
            'links/get': () => ({
                device_id: 'new', identity_key: toBase64(offer.identity), signing_key: toBase64(offer.signing),
                link_key: toBase64(offer.link),
            }),
            'links/approve': () => ({}),
        })
        if (refusal !== null) {
            answers[operation] = () => {
                throw new ClientError(refusal)
            }
        }
        const approve = async () => {
            const candidate = await client.linking.candidate(linkCode({ user: alice, device: 'new' }, offer))
            await candidate.approve()
            return null
        }
        same(await approve().catch(({ code }) => code), refusal, name)
        // The certificate is of what the code names, whatever comes of it.
        for (const { fields } of asked.filter(({ operation: each }) => each === 'links/approve')) {
            const part = certifiedPart({ user: alice, device: 'new' }, offer.identity, offer.signing,
                Date.parse(fields.issued_at))
            const certificate = /** @type {Uint8Array} */ (fromBase64(fields.certificate))
            same(await verifies(certificate, part, /** @type {any} */ (context.keys.account)), true, name)
        }
    }
})

test('only a device with the account key approves, another device of the same user, and by a code without a slip',
    async () => {
    const { client, context, alice, answers, asked } = await world()
    const offer = {
        identity: (await generateIdentity()).publicKey, signing: (await generateSigning()).publicKey,
        link: (await generateIdentity()).publicKey,
    }
    answers['links/get'] = ({ device_id: device }) => ({
        device_id: device, identity_key: toBase64(offer.identity), signing_key: toBase64(offer.signing),
        link_key: toBase64(offer.link),
    })
    const code = linkCode({ user: alice, device: 'new' }, offer)
    await throws(() => client.linking.candidate(code), 'not_linked')
    await context.keys.adopt(SEED(), null)
    await throws(() => client.linking.offer(), 'conflict')
    await throws(() => client.linking.candidate(linkCode({ user: 'bob', device: 'new' }, offer)), 'wrong_code')
    await throws(() => client.linking.candidate(linkCode({ user: alice, device: 'web' }, offer)), 'wrong_code')
    for (let index = 0; index < code.length; index++) {
        for (const letter of ['A', 'b', '7']) {
            if (letter === code[index]) continue
            const changed = code.slice(0, index) + letter + code.slice(index + 1)
            const outcome = await client.linking.candidate(changed).then(() => 'taken', ({ code: refusal }) => refusal)
            same(['wrong_code', 'gateway_fault'].includes(outcome), true, `${changed}: ${outcome}`)
        }
    }
    same((await client.linking.candidate(code)).device, 'new')
    same(asked.some(({ operation }) => operation === 'links/approve'), false)
})

test('a gateway that refuses the account key takes nothing from the device, which says so', async () => {
    const gateway = await Gateway.make()
    const { client, told } = gateway
    await gateway.connect()
    await gateway.tell('link.accountRefused')
    await gateway.connect()
    same([told.map(({ value }) => value.kind).includes('own-account-refused'), client.isLinked], [true, true])
    client.close()
})

test('a device that nobody has linked is told of, whatever the gateway says of its certificate', async () => {
    const gateway = await Gateway.make()
    const { client, told } = gateway
    await gateway.connect()
    await gateway.tell('link.ghostListedAsCertified')
    gateway.announceKeys(gateway.alice)
    await gateway.settled()
    same(told.map(({ value }) => [value.kind, value.device]), [['own-device-not-linked', 'ghost']])
    same((await client.devices.all()).map(({ device, isCertified }) => [device, isCertified]),
        [['web', true], ['ghost', false]])
    client.close()
})

test('of a false backup no account is taken', async () => {
    const [recovery, other] = [random(16), random(16)]
    const { alice, client, answers } = await world()
    const blob = sealBackup(SEED(), alice, recovery)
    /** @type {[string, Uint8Array][]} */
    const lies = [
        ['backup.ofAnotherAccount', sealBackup(FALSE_SEED(), alice, other)],
        ['backup.ofAnotherUser', sealBackup(FALSE_SEED(), 'mallory', recovery)],
        // The backup before the last, which another recovery key opens.
        ['backup.older', sealBackup(SEED(), alice, other)],
        ['backup.damaged', damaged(blob)], ['backup.truncated', blob.slice(0, blob.length >> 1)],
        ['backup.tooLong', Uint8Array.of(...blob, ...new Uint8Array(1000))],
    ]
    for (const [name, lie] of lies) {
        answers['account/get-backup'] = () => ({ blob: toBase64(lie) })
        await throws(() => client.account.recover(recoveryText(recovery)), 'wrong_code')
        same(client.isLinked, false, name)
    }
    for (const [name, refusal] of [['backup.withheld', 'not_found'], ['backup.tooLong', 'bad_reply']]) {
        answers['account/get-backup'] = () => {
            if (name === 'backup.withheld') throw new ClientError('not_found')
            return { blob: toBase64(Uint8Array.of(...blob, ...new Uint8Array(4096))) }
        }
        await throws(() => client.account.recover(recoveryText(recovery)), refusal)
        same(client.isLinked, false, name)
    }
    answers['account/get-backup'] = () => ({ blob: toBase64(blob) })
    Object.assign(answers, { 'keys/publish': () => ({}) })
    await client.account.recover(recoveryText(recovery))
    await until(() => client.isLinked)
})
