// `npm run catalogue:icons`: copies the icons of the catalogue from the package simple-icons (CC0), so that a
// deployment does not contain the other three thousand.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './set-up/folders.mjs'

const folder = join(root, 'catalogue/providers')
const icons = join(dirname(createRequire(import.meta.url).resolve('simple-icons')), 'icons')

const files = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
const names = files.flatMap(({ icon, products }) => [icon, ...products.map((/** @type {any} */ each) => each.icon)])
const slugs = [...new Set(names.filter(Boolean))].sort()
const paths = slugs.map((slug) => [slug, / d="([^"]+)"/.exec(readFileSync(join(icons, `${slug}.svg`), 'utf8'))?.[1]])
writeFileSync(
  join(root, 'catalogue/icons/simple-icons.json'),
  `${JSON.stringify(Object.fromEntries(paths), null, 2)}\n`,
)
console.log(`written: ${slugs.length} icons`)
