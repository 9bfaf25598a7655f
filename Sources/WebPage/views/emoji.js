// @ts-check
/** The emoji that are offered; any other comes by the keyboard. */
export const QUICK = ['👍', '❤️', '😂', '😮', '🙏']
export const EMOJI = [
    ...QUICK, '👏', '🔥', '🎉', '💪', '🏃', '🚴', '🏊', '🧘', '🥇', '🏆', '✅', '👀', '🤔', '😀', '😁', '😉', '😊', '😍',
    '🥳', '😎', '😢', '😭', '😡', '🤯', '😴', '🤝', '👋', '👌', '✌️', '💯', '⭐', '☕', '🍎', '🥗', '💧', '🌞',
]
