// @ts-check
/** Icons on a grid of 24, drawn with lines. */

const SHAPES = {
    chats: 'M4 5h16v11H9l-5 4z',
    groups: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 19c.5-3.300 2.500-5 5.500-5s5 1.700 5.500 5M16 11a2.600 2.600 0 1 0 0-5.200M17 14c2.500.300 4 2 4.500 5',
    trophy: 'M8 4h8v5a4 4 0 0 1-8 0zM8 5H5c0 3 1 5 3.300 5M16 5h3c0 3-1 5-3.300 5M12 13v4M8 20h8M12 17c-2 0-3 1-3 3h6c0-2-1-3-3-3z',
    activity: 'M3 12h4l3-7 4 14 3-7h4',
    bell: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 20.500a2.200 2.200 0 0 0 4 0',
    settings: 'M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4',
    back: 'M14 5l-7 7 7 7',
    close: 'M6 6l12 12M18 6L6 18',
    plus: 'M12 5v14M5 12h14',
    search: 'M11 17a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM15.500 15.500L20 20',
    more: 'M12 6.500v.01M12 12v.01M12 17.500v.01',
    send: 'M4 12l16-8-5 16-3-7z',
    attach: 'M19 11l-7.500 7.500a4 4 0 0 1-6-6L13 5a2.700 2.700 0 0 1 4 4l-7.500 7.500a1.300 1.300 0 0 1-2-2L14 8',
    mic: 'M12 14a3 3 0 0 0 3-3V6a3 3 0 0 0-6 0v5a3 3 0 0 0 3 3zM6 11a6 6 0 0 0 12 0M12 17v4',
    stop: 'M7 7h10v10H7z',
    play: 'M8 5l11 7-11 7z',
    pause: 'M8 5v14M16 5v14',
    reply: 'M10 6l-6 5 6 5v-3.500c5 0 8 1.500 10 5-.500-6-4-9.500-10-9.500z',
    smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.500 14c1.500 2.500 5.500 2.500 7 0M9 9.500v.01M15 9.500v.01',
    edit: 'M5 19l1-4L16 5l3 3L9 18z',
    trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
    copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
    lock: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
    shield: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4',
    warning: 'M12 4l9 16H3zM12 10v4M12 17v.01',
    info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8v.01',
    clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
    check: 'M5 13l4 4L19 7',
    checks: 'M2 13l4 4L15 8M10 15l2 2 10-10',
    failed: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v6M12 16v.01',
    mute: 'M4 10v4h3l5 4V6L7 10zM16 10l5 5M21 10l-5 5',
    archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
    block: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM6 6l12 12',
    flag: 'M6 21V4h11l-2 4 2 4H6',
    person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c.700-4 3-6 7-6s6.300 2 7 6',
    file: 'M7 3h7l4 4v14H7zM14 3v4h4',
    image: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15 9v.01',
    dumbbell: 'M3 12h2M19 12h2M5 8v8M8 6v12M8 12h8M16 6v12M19 8v8',
    food: 'M7 3v7M4.500 3v4a2.500 2.500 0 0 0 5 0V3M7 10v11M17 3c-2 1-3 4-3 7h3zM17 3v18',
    flame: 'M12 3c1 4 5 6 5 11a5 5 0 0 1-10 0c0-2 1-3 2-4 0 2 1 3 2 3 1-3-1-6 1-10z',
    screen: 'M3 5h18v12H3zM8 21h8M12 17v4',
    link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
    phone: 'M8 3h8v18H8zM11 18h2',
    down: 'M12 5v14M6 13l6 6 6-6',
    offline: 'M4 4l16 16M8.500 13.500a5 5 0 0 1 6 1M5 10a10 10 0 0 1 4-2.400M19 10a10 10 0 0 0-6-2.900M12 18v.01',
    sign_out: 'M10 4H5v16h5M14 8l4 4-4 4M9 12h9',
}

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @param {keyof typeof SHAPES} name
 * @param {string} [label] what it means, where no text beside it says so
 */
export function icon(name, label) {
    const svg = document.createElementNS(SVG, 'svg')
    svg.setAttribute('viewBox', '0 0 24 24')
    svg.setAttribute('class', `icon icon-${name}`)
    if (label) {
        svg.setAttribute('role', 'img')
        svg.setAttribute('aria-label', label)
    } else {
        svg.setAttribute('aria-hidden', 'true')
    }
    const path = document.createElementNS(SVG, 'path')
    path.setAttribute('d', SHAPES[name])
    svg.append(path)
    return svg
}
