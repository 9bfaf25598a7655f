// @ts-check
/** A record or a sealed thing that cannot be opened; `code` is of docs/encryption.md, "Why a message is refused". */
export class OpeningError extends Error {
    /** @param {string} code */
    constructor(code) {
        super(code)
        this.name = 'OpeningError'
        this.code = code
    }
}
