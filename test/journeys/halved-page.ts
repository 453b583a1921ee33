import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { desktop, expectNothingMoved, newVisitor } from './watched-browser.ts'

/** Opens a page with a table whose last row arrives late. */
export async function expectOneRendering(browser: Browser, address: string, cookie = ''): Promise<void> {
  const { origin, pathname } = new URL(address)
  const halves = await serveInHalves(origin, cookie)
  const page = await newVisitor(browser, { viewport: desktop })
  const timesPainted = `performance.getEntriesByType('paint').length`

  await page.goto(`${halves.url}${pathname}`, { waitUntil: 'commit' })
  await page.waitForFunction(`document.querySelector('tbody tr')`, undefined, { polling: 20 })
  await delay(500) // long enough for a page that does not wait to be drawn
  const paintedInHalf = await page.evaluate(timesPainted)
  halves.sendRest()
  await page.waitForFunction(timesPainted, undefined, { polling: 20 })

  expect(paintedInHalf).toBe(0)
  await expectNothingMoved(page, pathname)
}

async function serveInHalves(origin: string, cookie: string) {
  const gate = new EventEmitter()
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${origin}${request.url}`, { headers: { cookie } })
    const type = answer.headers.get('content-type') ?? ''
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': type })
    if (!type.startsWith('text/html')) return response.end(body)
    response.write(body.subarray(0, body.lastIndexOf('<tr')))
    await once(gate, 'open')
    response.end(body.subarray(body.lastIndexOf('<tr')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sendRest: () => gate.emit('open'),
  }
}
