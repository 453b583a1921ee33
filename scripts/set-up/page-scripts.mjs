// Scripts of npm packages that pages load: taken out of their packages and compressed once, so that no visitor's browser
// asks anybody else for them, and no running program needs the packages.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
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

export async function writePageScripts() {
  rmSync(stamp, { force: true })
  mkdirSync(output, { recursive: true })
  write('scalar.js', await readReferenceScript())
  write('minisearch.js', readFileSync(packaged(search, 'dist/es/index.js'), 'utf8').replace(/^\/\/# source.*$/m, ''))
  writeFileSync(stamp, versions())
}

/**
 * Scalar's own package brings 270 others, all to build what this one carries ready-made: it is a plugin that serves the
 * script, so it is asked for it the way Fastify would ask.
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
 */
function write(name, content) {
  replace(join(output, name), content)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  replace(join(output, `${name}.br`), brotliCompressSync(content, { params }))
}

/**
 * At once: a program may be serving the one before.
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
