import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import { afterEach, describe, expect, test } from 'vitest'
import { withRequestClasses } from '../../src/kit/http/express-prototypes.ts'
import { type HttpServer, listen } from '../../src/kit/http/http-server.ts'

let server: HttpServer | undefined
afterEach(() => server?.close(0))

async function serve(app: RequestListener, requestClasses: boolean): Promise<string> {
  server = await listen(app, { host: '127.0.0.1', port: 0, requestClasses })
  return `http://127.0.0.1:${server.port}`
}

function bookshop(): Express {
  const inner = express().get('/deep', (req, res) => void res.json([req.baseUrl, req.app === inner]))
  return express()
    .set('trust proxy', 'loopback')
    .use(express.json())
    .post('/books/:id', (req, res) => {
      const { params, query, body, ip, protocol } = req
      res.status(201).json({ params, query, body, ip, protocol, accepts: req.accepts(['json', 'csv']) })
    })
    .get('/away', (_req, res) => res.redirect(303, '/books'))
    .get('/broken', () => {
      throw new TypeError('oh')
    })
    .use('/inner', inner)
    .use(((_error, _req, res, _next) => void res.status(500).send('broken')) as express.ErrorRequestHandler)
}

/** In front of the framework, as the platform's fast path is. */
const before = (app: Express, look: RequestListener = () => {}): RequestListener & Pick<Express, 'request'> =>
  Object.assign(
    (...[req, res]: Parameters<RequestListener>) => {
      look(req, res)
      app(req, res)
    },
    { request: app.request, response: app.response },
  )

const comparable = async (answer: Response) => {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'))
  return { status: answer.status, headers, text: await answer.text() }
}

async function ask(url: string) {
  const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '203.0.113.9', Accept: 'text/csv' }
  const order = { method: 'POST', headers, body: JSON.stringify({ title: 'Emma' }) }
  const answers = await Promise.all([
    fetch(`${url}/books/7?a=1`, order),
    fetch(`${url}/books/7`, { ...order, body: '{' }),
    fetch(`${url}/away`, { redirect: 'manual' }),
    fetch(`${url}/inner/deep`),
    fetch(`${url}/broken`),
    fetch(`${url}/nothing`, { method: 'HEAD' }),
  ])
  return Promise.all(answers.map(comparable))
}

describe.each([
  ['an app', (app: Express): RequestListener => app],
  ['an app with something before it', (app: Express): RequestListener => before(withRequestClasses(app))],
])('%s', (_, wrapped) => {
  test('answers the same, whether the server makes its requests or Express changes them', async () => {
    const changed = await ask(await serve(bookshop(), false))
    await server?.close(0)

    const made = await ask(await serve(wrapped(bookshop()), true))

    expect(changed.map(({ status }) => status)).toEqual([201, 500, 303, 200, 500, 404])
    expect(changed[0]?.text).toContain('"ip":"203.0.113.9"')
    expect(made).toEqual(changed)
  })
})

test.each([true, false])(
  'with requestClasses=%s the server itself gives requests the prototype of the app, or does not',
  async (on) => {
    const app = bookshop()
    if (on) withRequestClasses(app)
    const seen: boolean[] = []
    const look: RequestListener = (req, res) =>
      void seen.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response)

    await (await fetch(`${await serve(before(app, look), on)}/inner/deep`)).text()

    expect(seen).toEqual([on, on])
  },
)

test('nothing of Node’s or of Express’s is changed', async () => {
  const shared = [IncomingMessage.prototype, ServerResponse.prototype, express.request, express.response]
  const shape = () => shared.map((each) => [Object.getPrototypeOf(each), Object.getOwnPropertyDescriptors(each)])
  const untouched = shape()

  await ask(await serve(bookshop(), true))

  expect(shape()).toEqual(untouched)
})
