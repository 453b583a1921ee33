// Writes the documentation pages of the program to files.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../set-up/folders.mjs'

const assets = ['tokens.css', 'base.css', 'causeway.css', 'components.css', 'docs.css', 'docs-search.js']
const referenceAssets = ['reference.css', 'reference.js', 'favicon.svg', 'mark.svg', 'vendor']

/**
 * @param {{ read: (address: string) => Promise<string>, folder: string, url: string }} parts
 * `read` returns a page of the program; `url` is the deployment of the reference
 */
export async function writeSite({ read, folder, url }) {
  const contents = await read('/docs/guides')
  const [nav = ''] = /<nav class="docs-contents[\s\S]*?<\/nav>/.exec(contents) ?? []
  const pages = [...nav.matchAll(/href="(\/docs\/[^"]+)"/g)].map(([, address = '']) => address)
  for (const address of ['/docs/guides', '/docs/api', ...pages]) write(page(address), await read(address))
  // Browsers block requests from another host to the deployment, so the page offers none.
  write(page('/docs'), (await read('/docs')).replace('<div id="reference"', '<div id="reference" data-read-only'))
  const reference = JSON.parse(await read('/docs/openapi.json'))
  write('/docs/openapi.json', JSON.stringify({ ...reference, servers: [{ url: `${url}/api/v1` }] }))
  for (const address of ['/docs/search.json', '/openapi.json']) write(address, await read(address))
  cpSync(join(root, 'docs/images'), join(folder, 'docs/images'), { recursive: true })
  for (const name of [...assets, ...referenceAssets]) {
    cpSync(join(root, 'public', name), join(folder, 'assets', name), { recursive: true })
  }
  write(
    '/index.html',
    '<!doctype html><meta http-equiv="refresh" content="0; url=/docs/guides"><title>Causeway</title>\n',
  )

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

/** @param {string} address */
const page = (address) => `${address}/index.html`
