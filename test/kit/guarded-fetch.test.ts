import type { lookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { guardedFetch } from '../../src/kit/fetch/guarded-fetch.ts'

const inner = [
  'http://hooks.acme.example/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fd00::1]/',
  'https://[::127.0.0.1]/', // X5: "unicast" to the library, but not assigned
  'https://[4000::1]/',
  'https://10.0.0.8/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://100.64.0.1/',
  'https://0.0.0.0/',
  'https://localhost/',
  'https://localhost./',
  'https://a.localhost/',
  'https://redis/',
  'https://metadata.google.internal/',
  'https://printer.local/',
  'https://hooks.acme.example:6379/',
  'https://hooks.acme.example:22/',
  'https://user:word@hooks.acme.example/',
  'file:///etc/passwd',
  'ftp://hooks.acme.example/',
]

test.each(inner)('%s is blocked', async (url) => {
  const fetch = guardedFetch({ allow: [] })

  const call = fetch(url)

  expect(fetch.mayCall(url)).toBe(false)
  await expect(call).rejects.toMatchObject({ kind: 'blocked' })
})

test.each(['https://hooks.acme.example/', 'https://93.184.216.34/hook', 'https://[2606:2800:220:1::1]/'])(
  '%s may be called',
  (url) => {
    expect(guardedFetch({ allow: [] }).mayCall(url)).toBe(true)
  },
)

test('a public name that resolves to a private address is blocked', async () => {
  const asked: string[] = []
  const resolve = ((name: string, _options: object, callback: (error: null, found: object[]) => void) => {
    asked.push(name)
    callback(null, [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
  }) as unknown as typeof lookup
  const fetch = guardedFetch({ allow: [], resolve })

  const call = fetch('https://rebinding.example/')

  await expect(call).rejects.toMatchObject({ kind: 'blocked' })
  expect(asked).toEqual(['rebinding.example'])
})

test('redirects are not followed', async () => {
  const paths: string[] = []
  const server = createServer((req, res) => {
    paths.push(req.url ?? '')
    res.writeHead(302, { location: '/inner' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const fetch = guardedFetch({ allow: [host] })

  const { status } = await fetch(`http://${host}/hook`)

  expect(status).toBe(302)
  expect(paths).toEqual(['/hook'])
  await fetch.close()
  server.close()
})
