// Errors for URLs without a server or with another one.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createCauseway } from '../../../packages/client/src/client.ts'
import { clientFor } from './recorded-client.ts'

describe('a request', () => {
  test.each([
    'https://connect.example.com/api/v1',
    'https://connect.example.com/api/v1/',
    'https://connect.example.com',
  ])('reaches the API by %s', async (url) => {
    const addresses: string[] = []
    const fetch = async (address: unknown) => {
      addresses.push(String(address))
      return Response.json({})
    }

    await createCauseway({ url, apiKey: 'k', fetch }).links.get('x')

    expect(addresses).toEqual(['https://connect.example.com/api/v1/links/x'])
  })

  test('names the URL that did not respond, and the reason', async () => {
    const causeway = createCauseway({ url: 'http://127.0.0.1:9', apiKey: 'k', retries: { maxAttempts: 1 } })

    await expect(causeway.links.get('x')).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9\/api\/v1 did not answer \(.+\)\. Is Causeway/,
    )
  })

  test('does not send the key to a redirect target, and names the target', async () => {
    const visited: Array<string | undefined> = []
    const server = createServer(({ url }, res) => {
      visited.push(url)
      res.writeHead(308, { Location: '/elsewhere?secret=1' }).end()
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const error = await createCauseway({ url, apiKey: 'k' })
      .links.get('x')
      .catch((caught: unknown) => caught)
    server.close()

    expect(visited).toEqual(['/api/v1/links/x'])
    expect(error).toMatchObject({ code: 'unreadable_response', status: 308, whoseMove: 'tenant' })
    expect(String(error)).toContain(`${url}/api/v1 redirects to ${url}/elsewhere, where the key is not sent.`)
  })

  test.each([
    [200, "isn't a Causeway server (got a 200 page). Check `url`."],
    [404, "isn't a Causeway server (got a 404 page). Check `url`."],
    [502, 'responded with 502, but not as Causeway does. Is Causeway running there?'],
  ])('names the URL of another server that responds with %d', async (status, words) => {
    const foreign = new Response('<h1>Welcome</h1>', { status, headers: { 'Retry-After': '3600' } })
    const { causeway } = clientFor(foreign)

    const error = await causeway.links.get('x').catch((caught: unknown) => caught)

    const message = `unreadable_response: https://connect.example.com/api/v1 ${words}`
    expect(error).toMatchObject({ code: 'unreadable_response', message })
  })

  test('rejects an HTML page of a proxy', async () => {
    const { causeway } = clientFor(new Response('<h1>Forbidden</h1>', { status: 403 }))

    await expect(causeway.links.get('x')).rejects.toMatchObject({ code: 'unreadable_response', status: 403 })
  })

  test('rejects foreign JSON of a proxy', async () => {
    const { causeway } = clientFor(Response.json({ code: 1020, errors: 'blocked', whoseMove: null }, { status: 403 }))

    const expected = { code: 'unreadable_response', status: 403, errors: [], whoseMove: 'tenant' }
    await expect(causeway.links.get('x')).rejects.toMatchObject(expected)
  })

  test('takes whoseMove from the API, or derives it from the status', async () => {
    const answer = { code: 'provider_unavailable', detail: 'Why.', whoseMove: 'provider' }
    const told = clientFor(Response.json(answer, { status: 502, headers: { 'Retry-After': '3600' } }))
    const untold = clientFor(new Response('', { status: 502, headers: { 'Retry-After': '3600' } }))

    await expect(told.causeway.links.get('x')).rejects.toMatchObject({ whoseMove: 'provider' })
    await expect(untold.causeway.links.get('x')).rejects.toMatchObject({ whoseMove: 'operator' })
  })
})
