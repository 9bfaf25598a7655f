// @ts-check
/** The lies of Tests/Adversaries/LyingGateway, by their names there, each told at every moment at which it can be. */
import { ACCEPTING, BETWEEN, FIRST, perform } from './play.js'
import { same, test } from './harness.js'

/**
 * @typedef {import('./play.js').Play} Play
 * @typedef {import('./play.js').Scene} Scene
 */

const ALWAYS = [FIRST, BETWEEN, ACCEPTING]
/** @type {Scene[]} */
const BOTH = ['certified', 'uncertified']

/** @type {[string[], string[], Scene[]][]} names, moments, and whom Alice writes to */
const LIES = [
    [[
        'conversation.thirdInList', 'conversation.thirdInSync', 'conversation.thirdInCreated',
        'conversation.thirdInUnknownType', 'conversation.userLeftOut', 'conversation.swappedInList',
        'conversation.directAsGroupInList',
    ], [FIRST, BETWEEN], ['certified']],
    [[
        'conversation.thirdInUpdate', 'conversation.thirdAfterRefusal', 'conversation.swappedInUpdate',
        'conversation.directAsGroup',
    ], [BETWEEN], ['certified']],
    [['conversation.groupAsDirect', 'conversation.strangerJoinsGroup'], [BETWEEN], ['group']],
    [[
        'conversation.thirdOnGet', 'conversation.thirdOnCreate', 'conversation.swappedUnderRandomID',
        'conversation.swappedUnderTrueID', 'conversation.anotherOnCreate', 'conversation.anotherOnGet',
    ], [FIRST], ['certified']],
    [[
        'conversation.strangerInNewGroup', 'conversation.strangerInNewGroupOnGet',
        'conversation.newGroupUnderAnotherID',
    ], [FIRST], ['newGroup']],
    [['keys.ghost', 'keys.otherIdentity', 'keys.keysOfAnotherUser'], ALWAYS, BOTH],
    [['keys.decoysThenOtherIdentity', 'keys.removedThenOtherIdentity'], [BETWEEN], BOTH],
    [['keys.comparedIsNotFetched'], [ACCEPTING], BOTH],
    [['keys.accountAppears'], ALWAYS, ['uncertified']],
    [[
        'keys.ownGhost', 'keys.ownGhostCertifiedByAnotherAccount', 'keys.ownAccountClaimed',
        'keys.olderKeysUnderOlderCertificate',
    ], [FIRST, BETWEEN], ['certified']],
    [[
        'keys.ghostCertifiedByAnotherAccount', 'keys.ghostUnderCertificateOfAnotherUser',
        'keys.ghostUnderCertificateOfAnotherDevice', 'keys.ghostCertifiedByItself',
        'keys.ghostUnderTruncatedCertificate', 'keys.ghostUnderDamagedCertificate',
        'keys.otherIdentityUnderOldCertificate', 'keys.otherIdentityCertifiedByAnotherAccount', 'keys.otherAccount',
        'keys.accountGone', 'keys.accountGoneWithGhost', 'keys.accountMalformed',
    ], ALWAYS, ['certified']],
    [['refusal.namesGhost', 'refusal.leavesOutHonest'], ALWAYS, BOTH],
    [['refusal.namesStranger', 'refusal.withoutEnd'], [FIRST, BETWEEN], BOTH],
    [[
        'event.keysChanged', 'event.deviceRevoked', 'event.deviceAdded', 'event.linkOffered', 'event.linkApproved',
        'sender.anothersName', 'sender.ghostSpeaks', 'sender.ownGhostSpeaks', 'sender.movedToAnother',
        'sender.oldAppUnderAnothersName', 'sender.oldAppRepeated', 'sender.oldAppReflected', 'sender.oldAppInGroup',
        'sender.oldAppAsEdit',
    ], [FIRST, BETWEEN], ['certified']],
]

/** @type {Play[]} */
const PLAYS = LIES.flatMap(([names, moments, scenes]) => names.flatMap((name) => (
    scenes.flatMap((scene) => moments.map((moment) => ({ name, scene, moment }))))))

/** It is all that the client ever hears of somebody whom it has never met: comparing the numbers shows it. */
const UNSEEN = new Set([
    'keys.otherAccount', 'keys.accountGone', 'keys.accountGoneWithGhost', 'keys.accountAppears',
    'keys.accountMalformed', 'keys.olderKeysUnderOlderCertificate',
])
const UNSEEN_WITHOUT_ACCOUNT = new Set([
    'keys.ghost', 'keys.otherIdentity', 'refusal.namesGhost', 'refusal.leavesOutHonest',
])
/** Nor does the number show it: the true account key has certified the keys before they were stolen. */
const HIDDEN = 'keys.olderKeysUnderOlderCertificate'
/** The gateway decides who is in a group: what is sent from then on is for the new one, too. */
const DECIDED = 'conversation.strangerJoinsGroup'

/** @param {Play} play */
const isUnseen = ({ name, scene, moment }) =>
    moment === FIRST && (UNSEEN.has(name) || (scene === 'uncertified' && UNSEEN_WITHOUT_ACCOUNT.has(name)))

/**
 * Some at once, as most of the time they wait for the storage.
 *
 * @template T
 * @param {T[]} all
 * @param {(each: T) => any} body
 */
async function each(all, body) {
    const rest = [...all]
    await Promise.all(Array.from({ length: 6 }, async () => {
        for (let next = rest.shift(); next !== undefined; next = rest.shift()) await body(next)
    }))
}

/** @param {Play} play */
async function mustFail(play) {
    const { readings, isHeard, isBelieved, isWarned, hasTrueNumber, close } = await perform(play)
    const what = `${play.name}, to ${play.scene}, ${play.moment}`
    if (isUnseen(play)) {
        const isSafe = readings.length === 0 && !isBelieved
        same(isSafe || await hasTrueNumber() === (play.name === HIDDEN), true, `${what}, the number`)
        return close()
    }
    close()
    if (play.name !== DECIDED) same([readings.length, isBelieved], [0, false], `${what}, is believed`)
    same(isWarned, true, `${what}, nobody is told`)
    // The true phone, where it is listed, still gets what is sent; a listing with half a certificate is none.
    const isGhost = play.name.startsWith('keys.ghost') && play.name !== 'keys.ghostUnderTruncatedCertificate'
        && play.scene === 'certified' && play.moment !== ACCEPTING
    if (isGhost) same(isHeard, true, `${what}, is not sent`)
}

for (const family of ['conversation', 'keys', 'refusal', 'event', 'sender']) {
    test(`lies of ${family} are not believed, nothing is sealed for the attacker, and the person is told`, () => (
        each(PLAYS.filter(({ name }) => name.startsWith(`${family}.`)), mustFail)))
}

test('the same without a lie: nothing is read, nobody is warned, and the number is the true one', async () => {
    const kinds = new Map(PLAYS.map((play) => [`${play.name.split('.')[0]} ${play.scene} ${play.moment}`, play]))
    await each([...kinds.values()], async (play) => {
        const { readings, isBelieved, isWarned, hasTrueNumber, close } = await perform(play, true)
        const what = `no ${play.name}, to ${play.scene}, ${play.moment}`
        same([readings.length, isBelieved, isWarned, await hasTrueNumber()], [0, false, false, true], what)
        close()
    })
})
