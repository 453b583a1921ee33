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

  await writeSite({ read, folder, url: 'https://connect.example.com' })

  const file = (address: string) => join(folder, /\.\w+$/.test(address) ? address : `${address}/index.html`)
  const missing = ['/docs', '/docs/guides', '/docs/api', '/docs/concepts', '/docs/reference/events'].flatMap((from) =>
    [...readFileSync(file(from), 'utf8').matchAll(/(?:href|src)="(\/(?:docs|assets|openapi)[^"#]*)/g)]
      .map(([, address = '']) => address)
      .filter((address) => !existsSync(file(address)))
      .map((address) => `${from}: ${address}`),
  )
  expect(missing).toEqual([])
  expect(JSON.parse(readFileSync(file('/docs/openapi.json'), 'utf8')).servers).toEqual([
    { url: 'https://connect.example.com/api/v1' },
  ])
  expect(readFileSync(file('/docs'), 'utf8')).toContain('data-read-only')
})
