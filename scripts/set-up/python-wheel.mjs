// Packs `packages/python` as a wheel, so that neither a build nor a server needs Python.
// https://packaging.python.org/en/latest/specifications/binary-distribution-format/
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

/**
 * @param {string} folder the parent of `packages`
 * @param {string} target
 * @returns {string} the path of the wheel
 */
export function packWheel(folder, target) {
  const project = join(folder, 'packages/python')
  const read = (/** @type {string} */ path) => readFileSync(join(project, path), 'utf8')
  const version = valueIn(read('causeway/_version.py'), '__version__')
  const info = `causeway-${version}.dist-info`
  const files = Object.fromEntries(wheelSources(folder).map((path) => [path, read(path)]))
  files[`${info}/LICENSE`] = read('LICENSE')
  files[`${info}/METADATA`] = metadata(read('pyproject.toml'), version, read('README.md'))
  files[`${info}/WHEEL`] =
    `Wheel-Version: 1.0\nGenerator: causeway ${version}\nRoot-Is-Purelib: true\nTag: py3-none-any\n`
  files[`${info}/RECORD`] = record(files, `${info}/RECORD`)
  const wheel = join(target, `causeway-${version}-py3-none-any.whl`)
  writeFileSync(wheel, zip(files))
  return wheel
}

/**
 * @param {string} folder the parent of `packages`
 * @returns {string[]} below `packages/python`
 */
export const wheelSources = (folder) =>
  readdirSync(join(folder, 'packages/python/causeway'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:\.py|\bpy\.typed)$/.test(path))
    .map((path) => `causeway/${path.replaceAll('\\', '/')}`)
    .sort()

/**
 * Core metadata 2.1 from the members of pyproject.toml that it has.
 * @param {string} project
 * @param {string} version
 * @param {string} readme
 */
function metadata(project, version, readme) {
  const list = /^dependencies = \[\n([\s\S]*?)^\]/m.exec(project)?.[1] ?? ''
  const dependencies = [...list.matchAll(/"(.+)"/g)].map(([, each]) => `Requires-Dist: ${each}`)
  return `${[
    'Metadata-Version: 2.1',
    'Name: causeway',
    `Version: ${version}`,
    `Summary: ${valueIn(project, 'description')}`,
    'License: MIT',
    `Requires-Python: ${valueIn(project, 'requires-python')}`,
    ...dependencies,
    'Description-Content-Type: text/markdown',
  ].join('\n')}\n\n${readme}`
}

/**
 * @param {string} text
 * @param {string} name
 */
function valueIn(text, name) {
  const value = new RegExp(`^${name} = "(.+)"$`, 'm').exec(text)?.[1]
  if (value === undefined) throw new Error(`packages/python has no ${name}`)
  return value
}

/**
 * @param {Record<string, string>} files
 * @param {string} itself
 */
function record(files, itself) {
  const rows = Object.entries(files).map(([path, text]) => {
    const hash = createHash('sha256').update(text).digest('base64url')
    return `${path},sha256=${hash},${Buffer.byteLength(text)}\n`
  })
  return `${rows.join('')}${itself},,\n`
}

const utf8Names = 0x0800
const deflated = 8
/** 1980-01-01, so that the same files make the same archive. */
const date = 0x0021

/**
 * A ZIP archive (APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16).
 * @param {Record<string, string>} files
 */
function zip(files) {
  const [entries, directory] = [/** @type {Buffer[]} */ ([]), /** @type {Buffer[]} */ ([])]
  let offset = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)]
    const packed = deflateRawSync(data)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(utf8Names, 2)
    common.writeUInt16LE(deflated, 4)
    common.writeUInt16LE(date, 8)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(name.length, 22)
    entries.push(Buffer.from('PK\x03\x04'), common, name, packed)
    const place = Buffer.alloc(14)
    // Made on Unix, as a regular file with the permissions 0644.
    place.writeUInt32LE((0o100644 << 16) >>> 0, 6)
    place.writeUInt32LE(offset, 10)
    directory.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, place, name)
    offset += 4 + common.length + name.length + packed.length
  }
  const listed = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(listed.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...entries, listed, Buffer.from('PK\x05\x06'), end])
}
