// @ts-check
/** The lies of Tests/Adversaries/LyingGateway while a device is linked, and about a backup, by their names there. */
import { fromBase64, toBase64 } from '/crypto/bytes.js'
import { generateIdentity, generateSigning, random, sealBox, sign, signingOf } from '/crypto/curves.js'
import { certifiedPart, linkCode, recoveryText, sealBackup } from '/crypto/names.js'
import { Members } from '/client/read.js'
import { same, test, throws } from './harness.js'
import { TIME, until, world } from './world.js'

const [SEED, FALSE_SEED] = [() => new Uint8Array(32).fill(7), () => new Uint8Array(32).fill(8)]

/** @param {Uint8Array} bytes but for one bit, in the middle */
const damaged = (bytes) => bytes.map((byte, index) => (index === bytes.length >> 1 ? byte ^ 1 : byte))

test('of a false approval nothing is adopted', async () => {
    const [honest, mallory] = await Promise.all([signingOf(SEED()), signingOf(FALSE_SEED())])
    const names = [
        'accountOfAttacker', 'seedOfAttacker', 'certificateOfAttacker', 'certificateOfAnotherDevice',
        'certificateDated',
        'certificateDamaged', 'certificateTruncated', 'sealDamaged', 'sealTruncated', 'sealForAnotherKey',
        'approvalOfAnotherDevice',
        'approvalOfFormerOffer', 'approvalUnasked', 'accountOfAttackerAfterwards',
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
        if (name !== 'approvalUnasked') await client.linking.offer()
        const former = link
        if (name === 'approvalOfFormerOffer') await client.linking.offer()
        const seal = (seed = SEED(), key = name === 'approvalUnasked' ? context.keys.identityKey : link) =>
            sealBox(seed, key)
        const other = (await generateIdentity()).publicKey
        /** @type {Record<string, () => Promise<[Uint8Array, Uint8Array, string?]>>} */
        const lies = {
            accountOfAttacker: async () => [own, await seal(FALSE_SEED())],
            seedOfAttacker: async () => [certificate, await seal(FALSE_SEED())],
            certificateOfAttacker: async () => [own, await seal()],
            certificateOfAnotherDevice: async () => [await sign(honest.privateKey, part('phone')), await seal()],
            certificateDated: async () => [await sign(honest.privateKey, part('web', Date.parse(TIME) - 1)),
                await seal()],
            certificateDamaged: async () => [damaged(certificate), await seal()],
            certificateTruncated: async () => [certificate.slice(0, 32), await seal()],
            sealDamaged: async () => [certificate, damaged(await seal())],
            sealTruncated: async () => [certificate, (await seal()).slice(0, -1)],
            sealForAnotherKey: async () => [certificate, await seal(FALSE_SEED(), other)],
            approvalOfAnotherDevice: async () => [certificate, await seal(), 'ghost'],
            approvalOfFormerOffer: async () => [certificate, await seal(SEED(), former)],
            approvalUnasked: async () => [own, await seal(FALSE_SEED())],
            accountOfAttackerAfterwards: async () => [certificate, await seal()],
        }
        const hear = async (/** @type {[Uint8Array, Uint8Array, string?]} */ [signature, sealed, device = 'web']) => (
            client.linking.heardApproval(new Members({
                device_id: device, certificate: toBase64(signature), issued_at: TIME, sealed: toBase64(sealed),
            })))
        const ended = new AbortController()
        const approved = client.linking.approved(ended.signal).then(({ digits }) => digits, ({ code }) => code)
        await hear(await lies[name]()).catch(() => undefined)
        if (name === 'accountOfAttackerAfterwards') {
            await hear(await lies.accountOfAttacker())
            const { adopt } = await client.linking.approved()
            answers['keys/publish'] = () => ({})
            await adopt()
            same(toBase64(/** @type {any} */ (context.keys.account)), toBase64(honest.publicKey), name)
            continue
        }
        setTimeout(() => ended.abort(), 50)
        const outcome = await approved
        // An account of the attacker's that fits together is refused by the person, who compares its digits.
        if (name === 'accountOfAttacker') same(/^\d{5} \d{5} \d{5}$/.test(outcome), true, name)
        else same(['gateway_fault', 'timeout'].includes(outcome), true, `${name}: ${outcome}`)
        same(client.isLinked, false, name)
    }
})

test('a false offer is not approved', async () => {
    const identity = async () => (await generateIdentity()).publicKey
    const offer = { identity: await identity(), signing: (await generateSigning()).publicKey, link: await identity() }
    /** @type {Record<string, any>} */
    const lies = {
        offerOfAnotherIdentity: { identity_key: toBase64(await identity()) },
        offerOfAnotherSigningKey: { signing_key: toBase64((await generateSigning()).publicKey) },
        offerOfAnotherLinkKey: { link_key: toBase64(await identity()) },
        offerOfLowOrderLinkKey: { link_key: toBase64(new Uint8Array(32)) },
        offerOfAttacker: {
            identity_key: toBase64(await identity()), signing_key: toBase64((await generateSigning()).publicKey),
            link_key: toBase64(await identity()),
        },
        offerUnderAnotherName: { device_id: 'ghost' }, offerTruncated: { link_key: toBase64(offer.link.slice(0, 16)) },
    }
    for (const [name, lie] of Object.entries(lies)) {
        const { client, context, alice, answers, asked } = await world()
        await context.keys.adopt(SEED(), null)
        answers['links/get'] = () => ({
            device_id: 'new', identity_key: toBase64(offer.identity), signing_key: toBase64(offer.signing),
            link_key: toBase64(offer.link), ...lie,
        })
        const code = linkCode({ user: alice, device: 'new' }, offer)
        await throws(() => client.linking.candidate(code), name === 'offerTruncated' ? 'bad_reply' : 'gateway_fault')
        // Nor where the code is of the very keys that protect nothing.
        if (name === 'offerOfLowOrderLinkKey') {
            const weak = linkCode({ user: alice, device: 'new' }, { ...offer, link: new Uint8Array(32) })
            await throws(() => client.linking.candidate(weak), 'gateway_fault')
        }
        same(asked.some(({ operation }) => operation === 'links/approve'), false, name)
    }
})

test('of a false backup no account is taken', async () => {
    const [recovery, other] = [random(16), random(16)]
    const { alice, client, answers } = await world()
    const blob = sealBackup(SEED(), alice, recovery)
    /** @type {[string, Uint8Array][]} */
    const lies = [
        ['ofAnotherAccount', sealBackup(FALSE_SEED(), alice, other)],
        ['ofAnotherUser', sealBackup(FALSE_SEED(), 'mallory', recovery)],
        ['damaged', damaged(blob)], ['truncated', blob.slice(0, blob.length >> 1)],
        ['tooLong', Uint8Array.of(...blob, ...new Uint8Array(1000))],
    ]
    for (const [name, lie] of lies) {
        answers['account/get-backup'] = () => ({ blob: toBase64(lie) })
        await throws(() => client.account.recover(recoveryText(recovery)), 'wrong_code')
        same(client.isLinked, false, name)
    }
    delete answers['account/get-backup']
    await throws(() => client.account.recover(recoveryText(recovery)), 'unavailable')
    answers['account/get-backup'] = () => ({ blob: toBase64(blob) })
    Object.assign(answers, { 'keys/publish': () => ({}) })
    await client.account.recover(recoveryText(recovery))
    await until(() => client.isLinked)
})
