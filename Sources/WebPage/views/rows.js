// @ts-check
/** The heights of the rows of a long list: sums of any beginning of it in logarithmic time (a Fenwick tree). */
export class Heights {
    /** @param {number} estimate of a row that was not measured */
    constructor(estimate) {
        this.estimate = estimate
        /** @type {Map<string, number>} by the key of a row */
        this.known = new Map()
        /** @type {string[]} */
        this.keys = []
        this.tree = new Float64Array(1)
    }

    /** @param {string[]} keys of all rows, in order */
    reset(keys) {
        this.keys = keys
        const count = keys.length
        const tree = this.tree = new Float64Array(count + 1)
        for (let place = 1; place <= count; place++) {
            tree[place] += this.known.get(keys[place - 1]) ?? this.estimate
            const parent = place + (place & -place)
            if (parent <= count) tree[parent] += tree[place]
        }
    }

    /**
     * @param {number} index
     * @param {number} height
     * @returns {number} by how much it differs from what was assumed
     */
    set(index, height) {
        const difference = height - (this.known.get(this.keys[index]) ?? this.estimate)
        this.known.set(this.keys[index], height)
        if (difference !== 0) {
            for (let place = index + 1; place < this.tree.length; place += place & -place) {
                this.tree[place] += difference
            }
        }
        return difference
    }

    /** The height of all rows before this one. @param {number} index */
    before(index) {
        let sum = 0
        for (let place = index; place > 0; place -= place & -place) sum += this.tree[place]
        return sum
    }

    get total() {
        return this.before(this.keys.length)
    }

    /** The row at this distance from the beginning. @param {number} distance */
    at(distance) {
        let [place, rest] = [0, distance]
        let step = 1
        while (step * 2 < this.tree.length) step *= 2
        for (; step > 0; step >>= 1) {
            const next = place + step
            if (next < this.tree.length && this.tree[next] <= rest) {
                rest -= this.tree[next]
                place = next
            }
        }
        return Math.min(place, Math.max(0, this.keys.length - 1))
    }
}
