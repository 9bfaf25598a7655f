// @ts-check
/** Tests as modules in a browser: `test(sentence, body)`, and `run()` for what drives the browser. */

/** @type {{sentence: string, body: () => unknown}[]} */
const tests = []

/**
 * @param {string} sentence
 * @param {() => unknown} body
 */
export const test = (sentence, body) => tests.push({ sentence, body })

/** Ends a test as skipped: its vectors are absent. */
export class Skipped extends Error {}

/** @returns {Promise<{passed: number, skipped: string[], failed: string[]}>} */
export async function run() {
    const outcome = { passed: 0, skipped: /** @type {string[]} */ ([]), failed: /** @type {string[]} */ ([]) }
    for (const { sentence, body } of tests) {
        try {
            await body()
            outcome.passed++
        } catch (error) {
            if (error instanceof Skipped) outcome.skipped.push(`${sentence}: ${error.message}`)
            else outcome.failed.push(`${sentence}: ${error instanceof Error ? error.stack : error}`)
        }
    }
    return outcome
}

/**
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [what]
 */
export function same(actual, expected, what = '') {
    const [one, other] = [shown(actual), shown(expected)]
    if (one !== other) throw new Error(`${what}: ${one.slice(0, 300)} is not ${other.slice(0, 300)}`)
}

/**
 * @param {() => unknown} body
 * @param {string} code
 */
export async function throws(body, code) {
    let thrown = null
    try {
        await body()
    } catch (error) {
        thrown = error
    }
    same(/** @type {any} */ (thrown)?.code ?? thrown, code, 'the error')
}

/** @param {unknown} value */
const shown = (value) =>
    JSON.stringify(value, (_, part) => {
        if (part instanceof Uint8Array) return Array.from(part, (byte) => byte.toString(16).padStart(2, '0')).join('')
        return part instanceof Map ? [...part] : part
    }) ?? 'undefined'

/**
 * Vectors beside the tests, or of the corpora, which need not be there.
 *
 * @param {string} path
 */
export async function vectors(path) {
    const response = await fetch(new URL(path, import.meta.url)).catch(() => null)
    if (!response?.ok) throw new Skipped(`${path} is not here`)
    return response.json()
}
