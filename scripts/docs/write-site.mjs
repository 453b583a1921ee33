// Writes the documentation pages of the program to files.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../set-up/folders.mjs'

const assets = [
  ...['tokens.css', 'base.css', 'causeway.css', 'components.css', 'docs.css', 'mark.svg'],
  ...['docs.js', 'docs-search.js', 'docs-search-index.js'],
]

/** @param {{ read: (address: string) => Promise<string>, folder: string }} parts `read` returns a page of the program */
export async function writeSite({ read, folder }) {
  const areas = ['/docs', '/docs/api']
  const pages = new Set(areas)
  for (const area of areas) for (const address of contentsOf(await read(area))) pages.add(address)
  for (const address of pages) write(`${address}/index.html`, await read(address))
  for (const address of ['/docs/search.json', '/openapi.json']) write(address, await read(address))
  cpSync(join(root, 'docs/images'), join(folder, 'docs/images'), { recursive: true })
  for (const name of assets) cpSync(join(root, 'public', name), join(folder, 'assets', name))
  for (const address of ['', '/docs/guides']) write(`${address}/index.html`, redirect)

  /**
   * @param {string} address
   * @param {string} text
   */
  function write(address, text) {
    const file = join(folder, address)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

const redirect = '<!doctype html><meta http-equiv="refresh" content="0; url=/docs"><title>Causeway</title>\n'

/** @param {string} page */
function contentsOf(page) {
  const [nav = ''] = /<nav class="docs-contents[\s\S]*?<\/nav>/.exec(page) ?? []
  return [...nav.matchAll(/href="(\/docs[^"]*)"/g)].map(([, address = '']) => address)
}
