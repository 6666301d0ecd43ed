// What the scenarios of the site ask: what is wrong with a page, and what its lists name.

// Waits until something is so, for twenty seconds at most: the pages are made by scripts, from what they load.
globalThis.patience = 20_000
globalThis.until = async (isSo) => {
  const end = Date.now() + patience
  while (!isSo() && Date.now() < end) await new Promise((go) => setTimeout(go, 10))
}
globalThis.title = () => first('h1')?.textContent.trim()
globalThis.topics = () => all('.contenttable .link-block > a.link')

// The headings and titles of the navigation, as they stand on the screen: it uses its rows again for others.
globalThis.navigation = () => all('.navigator-card-item .leaf-link')
  .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  .map((e) => e.textContent.trim()).join('|')

// Has every picture loaded, also those out of sight.
globalThis.load = async () => {
  all('img').forEach((e) => { e.loading = 'eager' })
  await until(() => all('img').every((e) => e.complete))
}

// Ends the changes of colours that are under way.
globalThis.settle = async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
  document.getAnimations().filter((a) => a instanceof CSSTransition).forEach((a) => a.finish())
}

// Waits for a title at a path, and says what is there then.
globalThis.reach = async (expected, path) => {
  await until(() => title() === expected && location.pathname === path)
  return title() + ' at ' + location.pathname
}

// Brings a topic into sight, and says where it leads.
globalThis.topic = (index) => {
  topics()[index].scrollIntoView({ block: 'center' })
  return topics()[index].pathname
}

// What is wrong with the page that is to have a title, in words.
globalThis.faults = async (expected) => {
  await reach(expected, location.pathname)
  await load()
  await settle()
  const found = [...pictureFaults(), ...contrastFaults()]
  if (title() !== expected) found.push('the title is: ' + title())
  const width = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)
  if (width > innerWidth) found.push('the page is wider than the window: ' + width)
  return found.join('; ').replace(/["\\]/g, '') || 'none'
}

// The renderer shows a picture of its own, from a data URL, in place of one that it cannot load.
function* pictureFaults() {
  for (const e of all('img')) {
    if (e.naturalWidth === 0 || e.currentSrc.startsWith('data:')) yield 'a picture is not shown: ' + label(e)
    if (e.getBoundingClientRect().height > 600) yield 'a picture is higher than 600 pixels: ' + label(e)
  }
}
const label = (e) => e.currentSrc.startsWith('data:') ? e.alt : new URL(e.currentSrc || e.src).pathname

function* contrastFaults() {
  for (const e of all('main :is(h1, h2, h3, h4, p, li, dt, dd, th, td, a, code, span)')) {
    const hasText = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())
    if (!hasText || !e.checkVisibility()) continue
    const found = contrast(e, 'color')
    if (found < 4.5) yield 'contrast ' + found.toFixed(1) + ': ' + e.textContent.trim().slice(0, 40)
  }
}

// What has the colour that it had when this was asked last: the page, its title, or a picture.
let before = {}
globalThis.unchanged = () => {
  const now = { page: ground(document.body), title: getComputedStyle(first('main h1')).color }
  for (const e of all('img')) now[label(e)] = ink(e)
  const same = Object.keys(now).filter((name) => now[name] === before[name])
  before = now
  return same.join() || 'none'
}

// The mean colour of what a picture draws.
function ink(picture) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 200 })
  const context = canvas.getContext('2d')
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const sums = [0, 0, 0, 0]
  context.getImageData(0, 0, canvas.width, canvas.height).data.forEach((v, i, all) => {
    if (all[i | 3] > 127) sums[i & 3] += v
  })
  return 'rgb(' + sums.slice(0, 3).map((sum) => Math.round(sum * 255 / sums[3])).join(',') + ')'
}
