import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { expect, test } from 'vitest'
import { writeSite } from '../../scripts/docs/write-site.mjs'
import { docsApp } from '../support/http/docs-app.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

test('the static documentation contains every page, script and image that its pages reference', async () => {
  const folder = temporaryFolder()
  const app = docsApp()
  const read = async (address: string) => (await request(app).get(address).expect(200)).text

  await writeSite({ read, folder })

  const file = (address: string) => join(folder, /\.\w+$/.test(address) ? address : `${address}/index.html`)
  const missing = ['/docs', '/docs/api', '/docs/api/webhooks', '/docs/concepts', '/docs/reference/events'].flatMap(
    (from) =>
      [...readFileSync(file(from), 'utf8').matchAll(/(?:href|src)="(\/(?:docs|assets|openapi)[^"#]*)/g)]
        .map(([, address = '']) => address)
        .filter((address) => !existsSync(file(address)))
        .map((address) => `${from}: ${address}`),
  )
  expect(missing).toEqual([])
  expect(readFileSync(file('/docs/guides'), 'utf8')).toContain('url=/docs"')
  expect(readFileSync(join(folder, 'assets/docs-search.js'), 'utf8')).toContain('./docs-search-index.js')
  expect(existsSync(join(folder, 'assets/docs-search-index.js'))).toBe(true)
})
