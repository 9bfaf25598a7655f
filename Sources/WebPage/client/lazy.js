// @ts-check
/**
 * A part of the client whose module is loaded when the first of its methods is called. All of them are asynchronous.
 *
 * @template {object} T
 * @param {() => Promise<T>} load
 * @returns {T}
 */
export function lazy(load) {
    /** @type {Promise<any>|null} */
    let part = null
    const calls = new Map()
    return /** @type {T} */ (new Proxy({}, {
        get(_, name) {
            if (!calls.has(name)) {
                calls.set(name, async (/** @type {any[]} */ ...given) => {
                    // Without a connection the module may be missing: the next call asks again.
                    part ??= load().catch((error) => {
                        part = null
                        throw error
                    })
                    return (await part)[name](...given)
                })
            }
            // A promise would be taken for one, if it had a `then`.
            return name === 'then' ? undefined : calls.get(name)
        },
    }))
}
