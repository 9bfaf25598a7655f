// @ts-check
export class Attachments {
    /** @param {import('./context.js').Context} context @param {import('./messages.js').Messages} messages */
    constructor(context, messages) {
        this.context = context
        this.messages = messages
    }
}
