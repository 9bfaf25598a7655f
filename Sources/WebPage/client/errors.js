// @ts-check
/** Why a call has failed. `code` is of docs/protocol.md, or one of those below. */
export class ClientError extends Error {
    /**
     * @param {string} code
     * @param {string} [text] a sentence for people
     * @param {{retryAfter?: number, details?: any, status?: number}} [more] `retryAfter` in milliseconds
     */
    constructor(code, text = SENTENCES.get(code) ?? code, more = {}) {
        super(text)
        this.name = 'ClientError'
        this.code = code
        this.retryAfter = more.retryAfter ?? null
        this.details = more.details ?? null
        this.status = more.status ?? 0
    }

    /** Whether the same request may succeed when it is sent again. */
    get isPassing() {
        return PASSING.has(this.code)
    }
}

const PASSING = new Set(['offline', 'unavailable', 'rate_limited', 'timeout'])

/** @type {Map<string, string>} */
const SENTENCES = new Map([
    ['offline', 'There is no connection.'],
    ['timeout', 'The gateway did not answer in time.'],
    ['bad_reply', 'The gateway has answered with something unreadable.'],
    ['signed_out', 'This device is signed out.'],
    ['storage', 'This browser did not store it.'],
    ['held', 'Keys of the other wait to be accepted.'],
    ['changed', 'The keys have changed since they were shown.'],
    ['not_linked', 'This device is not linked yet.'],
    ['no_recipient_keys', 'No device of the others has published keys.'],
    ['weak_recipient_key', 'The published key protects nothing.'],
    ['uncertified_recipients', 'No device of the other is certified by their account key.'],
    ['too_many_devices', 'There are more devices than a message is sealed for.'],
    ['too_long', 'The message is too long.'],
    ['damaged', 'The file is damaged, or is not the one that was sent.'],
    ['wrong_code', 'The code is not right.'],
    ['gateway_fault', 'The gateway has said what no honest gateway says.'],
])
