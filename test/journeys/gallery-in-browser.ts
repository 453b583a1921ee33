import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startPageGallery } from '../support/http/page-gallery.ts'
import { launchBrowser } from './watched-browser.ts'

export let gallery: Awaited<ReturnType<typeof startPageGallery>>
export let browser: Browser

/** For all tests of a file. */
export function openGalleryInBrowser(): void {
  beforeAll(async () => {
    ;[gallery, browser] = await Promise.all([startPageGallery(), launchBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await gallery.close()
  })
}
