import type { Sharp } from 'sharp'
import { lazy } from '../../../kit/cache/lazy.ts'
import { keptRoom, largestPictureBytes, mostPixels } from '../../domain/branding/logo.ts'
import type { LogoPictures } from '../../domain/ports/tenants.ts'

/**
 * Files that anybody may have made are decoded by sharp (libvips) and drawn anew, so that nothing of them is left but
 * pixels: no metadata, no second file behind the first, no second frame.
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
        const drawn = await undefinedIfUnreadable(draw(await open(file, mostPixels), { share, palette }))
        if (!drawn) return undefined
        if (drawn.png.length <= largestPictureBytes) return drawn
      }
      throw new Error('a small picture of few colors is never too large')
    },
  }
}

/** The last one has 200 by 40 pixels of one byte each: it fits, whatever is on it. */
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

/** Loaded when the first logo comes: most processes never see one. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Of the formats that the library reads, those with the fewest surprises.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadWebp'] })
  // Logos come seldom: neither a second one nor a second core is worth keeping memory for.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/** The library tells of broken files in many words, none of which are for the caller. */
const undefinedIfUnreadable = <T>(reading: Promise<T>): Promise<T | undefined> => reading.catch(() => undefined)
