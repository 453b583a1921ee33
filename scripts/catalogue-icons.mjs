// `npm run catalogue:icons`: copies the logos that the catalogue names from the packages @iconify-json/logos and
// simple-icons (both CC0) to `public/logos`, so that a deployment does not contain the other five thousand.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './set-up/folders.mjs'

const require = createRequire(import.meta.url)
/** @type {any} */
const logos = require('@iconify-json/logos/icons.json')
/** @type {any[]} */
const simpleIcons = ['simple-icons', 'simple-icons-12'].flatMap((name) => Object.values(require(name)))

/** @type {Record<string, (name: string) => string>} */
const sets = {
  logos: (name) => {
    const { body, width = logos.width, height = logos.height } = logos.icons[name]
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${body}</svg>`
  },
  'simple-icons': (name) => {
    const { path, hex } = simpleIcons.find(({ slug }) => slug === name)
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="${visible(hex)}"><path d="${path}"/></svg>`
  },
}

/** Marks stand on white. @param {string} hex */
function visible(hex) {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
  return 0.3 * red + 0.6 * green + 0.1 * blue > 230 ? '#111' : `#${hex}`
}

const folder = join(root, 'catalogue/providers')
const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
const icons = files.flatMap(({ icon, products }) => [icon, ...products.map((/** @type {any} */ each) => each.icon)])
const named = [...new Set(icons.filter((icon) => icon && !icon.startsWith('data:')))].sort()

rmSync(join(root, 'public/logos'), { recursive: true, force: true })
for (const icon of named) {
  const [set, name] = icon.split(':')
  mkdirSync(join(root, 'public/logos', set), { recursive: true })
  writeFileSync(join(root, 'public/logos', set, `${name}.svg`), `${sets[set]?.(name)}\n`)
}
console.log(`written: ${named.length} logos`)
