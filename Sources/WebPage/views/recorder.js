// @ts-check
/** Records a voice message. */
import { el } from './dom.js'
import { formatDuration } from './format.js'

/** Opus, in the container that this browser writes. */
const TYPES = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']
/** In milliseconds. */
const LONGEST = 15 * 60_000

export class Recorder {
    /** @param {import('./dom.js').Ending} ending */
    constructor(ending) {
        this.time = el('span', { role: 'timer' }, '0:00')
        this.element = el('div', { class: 'composer-field recording-now' }, el('span', { class: 'dot' }), 'Recording',
            this.time)
        ending.add(() => this.stop())
    }

    async begin() {
        this.stream = await navigator.mediaDevices.getUserMedia({ audio: true })
        const mimeType = TYPES.find(type => MediaRecorder.isTypeSupported(type))
        this.recorder = new MediaRecorder(this.stream, mimeType ? { mimeType, audioBitsPerSecond: 32_000 } : {})
        /** @type {Blob[]} */
        this.parts = []
        this.recorder.addEventListener('dataavailable', event => this.parts?.push(event.data))
        this.began = performance.now()
        this.recorder.start(1000)
        this.timer = setInterval(() => {
            const now = performance.now() - (this.began ?? 0)
            this.time.textContent = formatDuration(now)
            if (now > LONGEST) this.stop()
        }, 500)
    }

    stop() {
        clearInterval(this.timer)
        if (this.recorder?.state === 'recording') this.recorder.stop()
        for (const track of this.stream?.getTracks() ?? []) track.stop()
    }

    async end() {
        const durationMs = Math.round(performance.now() - (this.began ?? 0))
        const { recorder } = this
        if (recorder?.state === 'recording') {
            const ended = new Promise(resolve => recorder.addEventListener('stop', resolve, { once: true }))
            this.stop()
            await ended
        }
        return { blob: new Blob(this.parts ?? [], { type: recorder?.mimeType ?? '' }), durationMs }
    }
}
