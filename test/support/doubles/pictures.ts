// Image files for tests, including invalid ones.
import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'

/** PNG specification, third edition, 5.3. */
export function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  checksum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, checksum])
}

type PngParts = { width: number; height: number; data?: Buffer; extra?: readonly Buffer[] }

/** Grayscale, one byte per pixel. Black unless `data` is given. */
export function pngFile({ width, height, data, extra = [] }: PngParts): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...extra,
    pngChunk('IDAT', data ?? deflateSync(Buffer.alloc((width + 1) * height))),
    pngChunk('IEND', Buffer.alloc(0)),
  ])
}

const square = (color: string) =>
  sharp({ create: { width: 40, height: 40, channels: 3, background: color } })
    .png()
    .toBuffer()

export async function animatedWebp(): Promise<Buffer> {
  const frames = [await square('#ff0000'), await square('#0000ff')]
  return sharp(frames, { join: { animated: true } })
    .webp({ loop: 0, delay: [100, 100] })
    .toBuffer()
}

/** Letters on a transparent background. */
export const wordMark = (color: string): Promise<Buffer> => {
  const [width, height] = [480, 120]
  const bar = (left: number, wide: number, top = 20, high = 80) => ({
    input: { create: { width: wide, height: high, channels: 4 as const, background: color } },
    left,
    top,
  })
  return sharp({ create: { width, height, channels: 4, background: '#00000000' } })
    .composite([
      bar(10, 24),
      bar(60, 24),
      bar(34, 26, 48, 24),
      bar(110, 90),
      bar(225, 24),
      bar(249, 60, 76, 24),
      bar(330, 140),
    ])
    .png()
    .toBuffer()
}
