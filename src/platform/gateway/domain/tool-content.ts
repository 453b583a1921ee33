/** MCP (2025-03-26 and later, "Tool Result") has images and audio; other bytes are embedded resources. */
export type ToolContent =
  | { kind: 'text'; text: string }
  | { kind: 'image' | 'audio' | 'resource'; mimeType: string; bytes: Buffer; uri: string }

type TypedBytes = { bytes: Buffer; contentType: string; uri: string }

/** Sending binary data as text would corrupt it. Text stays text, whatever its declared type. */
export function contentOf({ bytes, contentType, uri }: TypedBytes): ToolContent {
  const { mimeType, charset } = readContentType(contentType)
  const kind = kindOf(mimeType)
  if (kind !== 'resource') return { kind, mimeType, bytes, uri }
  const text = textOf(bytes, charset)
  return text === undefined ? { kind, mimeType, bytes, uri } : { kind: 'text', text }
}

/** SVG is more useful to a model as text. */
function kindOf(mimeType: string): 'image' | 'audio' | 'resource' {
  if (mimeType.startsWith('image/') && !mimeType.endsWith('+xml')) return 'image'
  return mimeType.startsWith('audio/') ? 'audio' : 'resource'
}

const anyBytes = 'application/octet-stream'

/** RFC 9110, section 8.3.1. An invalid type becomes octet-stream because clients see it. */
function readContentType(contentType: string): { mimeType: string; charset: string } {
  const [essence = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8) ?? ''
  const mimeType = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/.test(essence) ? essence : anyBytes
  return { mimeType, charset: charset.replaceAll('"', '') || 'utf-8' }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text
const controls = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/

function textOf(bytes: Buffer, charset: string): string | undefined {
  try {
    const text = new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
    return controls.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

const typesByEnding: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  zip: 'application/zip',
}

export const typeByName = (path: string): string =>
  typesByEnding[/\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? anyBytes
