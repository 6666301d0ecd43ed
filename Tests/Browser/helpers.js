// What scenarios ask in a page: its elements and their texts, and how a colour stands out from the page's.
globalThis.first = (selector) => document.querySelector(selector)
globalThis.all = (selector) => [...document.querySelectorAll(selector)]
globalThis.texts = (selector) => all(selector).map((e) => e.textContent).join(', ')

// The relative luminance of a colour, from 0 to 1, and the contrast of two, from 1 to 21: both by WCAG 2.
globalThis.light = (color) => {
  const [r, g, b] = color.match(/[0-9.]+/g).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
globalThis.ratio = (one, other) => {
  const [more, less] = [light(one), light(other)].toSorted((a, b) => b - a)
  return (more + 0.05) / (less + 0.05)
}

// How a colour of an element stands out from what is behind it: the nearest background, or that of the page.
globalThis.contrast = (e, property) => ratio(getComputedStyle(e)[property], ground(e))
globalThis.ground = (e) => {
  const color = getComputedStyle(e).backgroundColor
  const isClear = /^rgba.*, 0(\.\d+)?\)$/.test(color)
  return isClear && e !== document.body ? ground(e.parentElement) : color
}
