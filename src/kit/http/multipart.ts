import express, { type Request, type RequestHandler } from 'express'

/** A form with files, as it arrived: texts by name in `body`, files beside them. */
export type Upload = { fields: Record<string, string>; files: Record<string, Buffer> }

/** Reads a form with files whole, up to `limit`. What is no such form is left to others. */
export const readMultipart = (limit: string): RequestHandler =>
  express.raw({ type: 'multipart/form-data', limit, inflate: false })

/**
 * The parts of what `readMultipart` read; undefined if they cannot be told apart. By the parser that Node has for
 * fetch: whoever reads a whole body of a known size needs no other. Of names that come twice, the last part counts.
 */
export async function partsOf(req: Request): Promise<Upload | undefined> {
  if (!Buffer.isBuffer(req.body)) return undefined
  const headers = { 'Content-Type': req.get('content-type') ?? '' }
  const form = await new Response(new Uint8Array(req.body), { headers }).formData().catch(() => undefined)
  if (!form) return undefined
  const upload: Upload = { fields: {}, files: {} }
  for (const [name, value] of form) {
    if (typeof value === 'string') upload.fields[name] = value
    else upload.files[name] = Buffer.from(await value.arrayBuffer())
  }
  return upload
}
