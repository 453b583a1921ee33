import express, { type Request, type RequestHandler } from 'express'

type Upload = { fields: Record<string, string>; files: Record<string, Buffer> }

export const readMultipart = (limit: string): RequestHandler =>
  express.raw({ type: 'multipart/form-data', limit, inflate: false })

/** Undefined if malformed. Of several parts with the same name, the last wins. */
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
