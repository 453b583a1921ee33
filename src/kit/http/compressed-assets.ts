import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { RequestHandler } from 'express'

/** Serves public assets gzipped. Pages are not compressed: their size would leak secrets (BREACH). */
export function compressedAssets(folder: string, headers: Readonly<Record<string, string>>): RequestHandler {
  const kept = new Map<string, { tag: string; packed: Promise<Buffer> }>()
  /** The tag changes when a release replaces the file. */
  const packedFile = async (path: string) => {
    const file = join(folder, path)
    const found = await stat(file).catch(() => undefined)
    if (!found?.isFile()) return undefined
    const tag = `W/"${found.size.toString(16)}-${found.mtimeMs.toString(16)}-gz"`
    const known = kept.get(path)
    if (known?.tag === tag) return known
    const made = { tag, packed: readFile(file).then((content) => promisify(gzip)(content, { level: 9 })) }
    kept.set(path, made)
    return made
  }

  return async (req, res, next) => {
    // Without a dot before the extension no path leaves the folder.
    const [path, extension] = /^\/(?:[\w-]+\/)*[\w-]+\.(css|js|svg)$/.exec(req.path) ?? []
    if (path === undefined || !['GET', 'HEAD'].includes(req.method)) return next()
    res.vary('Accept-Encoding')
    const asset = req.acceptsEncodings('gzip') === 'gzip' ? await packedFile(path) : undefined
    if (!asset) return next()
    const packed = await asset.packed
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.type(String(extension)).setHeader('ETag', asset.tag)
    if (req.fresh) return void res.status(304).end()
    res.setHeader('Content-Encoding', 'gzip')
    res.send(packed)
  }
}
