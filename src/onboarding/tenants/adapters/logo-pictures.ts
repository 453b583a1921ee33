import type { Sharp } from 'sharp'
import { lazy } from '../../../kit/cache/lazy.ts'
import { isMargin, isReadableOnDark, keptRoom, maxPictureBytes, maxPixels } from '../../domain/branding/logo.ts'
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
      const corner = await undefinedIfUnreadable(cornerOf(await open(file, maxPixels)))
      if (!corner) return undefined
      for (const attempt of attempts) {
        const options = { ...attempt, trims: isMargin(corner) }
        const drawn = await undefinedIfUnreadable(draw(await open(file, maxPixels), options))
        if (!drawn) return undefined
        if (drawn.png.length > maxPictureBytes) continue
        const pixels = await rgba((await library())(drawn.png)).toBuffer()
        return { ...drawn, readableOnDark: isReadableOnDark(pixels) }
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

const rgba = (picture: Sharp): Sharp => picture.toColourspace('srgb').ensureAlpha().raw()

/** `trim` removes what looks like the first pixel. */
const cornerOf = (file: Sharp): Promise<Uint8Array> =>
  rgba(file.autoOrient().extract({ left: 0, top: 0, width: 1, height: 1 }))
    .timeout({ seconds: 5 })
    .toBuffer()

async function draw(file: Sharp, { share, palette, trims }: (typeof attempts)[number] & { trims: boolean }) {
  const box = { width: keptRoom.width * share, height: keptRoom.height * share }
  const upright = file.autoOrient()
  const { data: png, info } = await (trims ? upright.trim() : upright)
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
