import type { Sharp } from 'sharp'
import { lazy } from '../../../kit/cache/lazy.ts'
import { keptRoom, maxPictureBytes, maxPixels } from '../../domain/branding/logo.ts'
import type { LogoPictures } from '../../domain/ports/tenants.ts'

/**
 * Decodes untrusted files with sharp (libvips) and re-encodes the pixels. Metadata, appended files and extra frames are
 * dropped.
 */
export function logoPictures(): LogoPictures {
  const library = lazy(loadSharp)
  const open = async (file: Buffer, limitInputPixels: number | false) =>
    (await library())(file, { limitInputPixels, failOn: 'warning', pages: 1, sequentialRead: true })
  return {
    async measure(file) {
      const found = await undefinedIfUnreadable((await open(file, false)).metadata())
      return found && { width: found.width, height: found.height }
    },
    async redraw(file) {
      for (const { share, palette } of attempts) {
        const drawn = await undefinedIfUnreadable(draw(await open(file, maxPixels), { share, palette }))
        if (!drawn) return undefined
        if (drawn.png.length <= maxPictureBytes) return drawn
      }
      throw new Error('the smallest picture must fit')
    },
  }
}

/** The last attempt has 200 by 40 pixels of one byte each, so it always fits. */
const attempts = [
  { share: 1, palette: false },
  { share: 1, palette: true },
  { share: 0.5, palette: true },
]

async function draw(file: Sharp, { share, palette }: (typeof attempts)[number]) {
  const box = { width: keptRoom.width * share, height: keptRoom.height * share }
  const { data: png, info } = await file
    .autoOrient()
    .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png({ compressionLevel: 9, palette })
    .timeout({ seconds: 5 })
    .toBuffer({ resolveWithObject: true })
  return { png, width: info.width, height: info.height }
}

/** Loads sharp with the first logo: most processes never need it. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Allow only PNG, JPEG and WebP.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] })
  // Logos are rare: save memory instead of time.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

const undefinedIfUnreadable = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined)
