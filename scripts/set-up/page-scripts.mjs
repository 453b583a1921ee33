// Copies scripts that pages load out of npm packages and compresses them. Pages then load nothing from other hosts, and
// the running programs do not need the packages.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { root } from './folders.mjs'

const output = join(root, 'public/vendor')
const stamp = join(output, 'versions.json')

const reference = '@scalar/fastify-api-reference'
const search = 'minisearch'

export function pageScriptsAreCurrent() {
  try {
    return readFileSync(stamp, 'utf8') === versions()
  } catch {
    return false
  }
}

/**
 * Quality 9 makes scalar.js.br 4 % smaller than quality 5 and takes three times as long.
 * @param {number} quality of the compression, 0 to 11
 */
export async function writePageScripts(quality = 5) {
  rmSync(stamp, { force: true })
  mkdirSync(output, { recursive: true })
  const searchScript = readFileSync(packaged(search, 'dist/es/index.js'), 'utf8').replace(/^\/\/# source.*$/m, '')
  await write('scalar.js', await readReferenceScript(), quality)
  await write('minisearch.js', searchScript, quality)
  writeFileSync(stamp, versions())
}

/**
 * Scalar's main package has 270 dependencies. This Fastify plugin contains the finished script, so register the plugin
 * on a stub of Fastify and call its route.
 * @returns {Promise<string>}
 */
async function readReferenceScript() {
  const { default: plugin } = await import(reference)
  /** @type {Array<{ url: string, handler: (request: undefined, reply: object) => string }>} */
  const routes = []
  const server = { route: routes.push.bind(routes), hasPlugin: () => false, initialConfig: {} }
  plugin(server, { configuration: { url: '/' } }, () => undefined)
  const reply = { header: () => reply, send: (/** @type {string} */ content) => content }
  const script = routes.find(({ url }) => url.endsWith('.js'))?.handler(undefined, reply)
  if (!script?.includes('createApiReference')) throw new Error(`${reference} no longer serves Scalar as one script.`)
  return script
}

/**
 * @param {string} name
 * @param {string} content
 * @param {number} quality
 */
async function write(name, content, quality) {
  replace(join(output, name), content)
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  replace(join(output, `${name}.br`), await promisify(brotliCompress)(content, { params }))
}

/**
 * Replaces the file atomically, because a program may be serving it.
 * @param {string} path
 * @param {string | Uint8Array} content
 */
function replace(path, content) {
  const next = `${path}.${process.pid}`
  writeFileSync(next, content)
  renameSync(next, path)
}

const versions = () =>
  JSON.stringify(
    [reference, search].map((name) => JSON.parse(readFileSync(packaged(name, 'package.json'), 'utf8')).version),
  )

/**
 * @param {string} name
 * @param {string} file
 */
const packaged = (name, file) => join(root, 'node_modules', name, file)
