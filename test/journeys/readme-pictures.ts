// The pictures of the README, and whether they show the current pages. `npm run docs:pictures` takes them again.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { expect } from 'vitest'

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const texts = `${folder}readme-pictures.json`

const isWriting = process.env.README_PICTURES === 'write'

/** Pictures show the usual ports. */
export const portsOfPictures: Record<string, string> = isWriting
  ? { PORTAL_PORT: '3300', ONBOARDING_PORT: '3000', PLATFORM_PORT: '3100', FILEBOX_PORT: '3200' }
  : {}

export async function expectReadmePicture(page: Page, name: string): Promise<void> {
  const text = (await page.locator('body').innerText())
    .replace(/((?:localhost|127\.0\.0\.1)):\d+/g, '$1')
    .replace(/filebox-\s*[a-z0-9]+/g, 'filebox-1')
  const taken = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide' })
  if (isWriting) {
    writeFileSync(`${folder}${name}.png`, await sharp(taken).png({ palette: true, compressionLevel: 9 }).toBuffer())
    writeFileSync(texts, `${JSON.stringify({ ...readTexts(), [name]: text.split(/\s*\n\s*/) }, null, 2)}\n`)
    return
  }
  const advice = `docs/images/${name}.png shows another page: npm run docs:pictures`
  expect(readTexts()[name], advice).toEqual(text.split(/\s*\n\s*/))
  expect(await difference(taken, readFileSync(`${folder}${name}.png`)), advice).toBeLessThan(maxDifference)
}

const readTexts = (): Record<string, string[]> => JSON.parse(readFileSync(texts, 'utf8'))

/** Other fonts differ by less, another layout by more. */
const maxDifference = 3

/** Of small copies, on a scale to 255. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [left, right] = await Promise.all([one, other].map(small))
  const differences = [...(left ?? [])].map((value, at) => Math.abs(value - (right?.[at] ?? 0)))
  return differences.reduce((sum, each) => sum + each, 0) / differences.length
}

const small = (picture: Buffer) => sharp(picture).resize(32, 32, { fit: 'fill' }).flatten().raw().toBuffer()
