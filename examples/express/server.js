// A small product whose users connect an account: a button, the return page, linked accounts, and verified webhooks.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { CausewayError, createCauseway, verifyWebhook } from '@causeway/client'
import express from 'express'
import session from 'express-session'
import { homePage, returnPage } from './pages.js'

const { CAUSEWAY_URL, CAUSEWAY_API_KEY, CAUSEWAY_TENANT, CAUSEWAY_WEBHOOK_SECRET } = process.env
const { INTEGRATION = 'gmail', PORT = '4000', APP_URL = `http://localhost:${PORT}` } = process.env

const causeway = createCauseway({ url: CAUSEWAY_URL, apiKey: CAUSEWAY_API_KEY })
const app = express()

// Before the session middleware, because webhooks have no session. The signature covers the raw body.
const events = new Map() // by ID, because messages can arrive twice. Use your database.
app.post('/webhooks', express.raw({ type: 'application/json' }), (req, res) => {
  const event = verifyWebhook(req.body, req.headers, CAUSEWAY_WEBHOOK_SECRET)
  events.set(event.id, event)
  res.sendStatus(204)
})

// Replace with your login. SameSite must be lax: strict cookies are not sent when the user returns from another site.
app.use(
  session({
    secret: randomUUID(),
    resave: false,
    saveUninitialized: true,
    cookie: { sameSite: 'lax', httpOnly: true },
  }),
)
app.use((req, _res, next) => {
  req.session.userId ??= `user-${randomUUID()}`
  next()
})
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))))
app.use('/vendor', express.static(fileURLToPath(new URL('.', import.meta.resolve('@causeway/connect')))))

app.get('/', async (req, res) => {
  const mine = { tenantId: CAUSEWAY_TENANT, endUserId: req.session.userId }
  const connections = await causeway.connections.list(mine).toArray()
  const messages = [...events.values()].filter(({ data }) => data.endUser?.id === req.session.userId)
  names ??= await appNames()
  res.send(homePage({ names, integration: INTEGRATION, connections, messages }))
})

let names

async function appNames() {
  const apps = await causeway.integrations.list({ available: 'true' }).toArray()
  return Object.fromEntries(apps.map(({ id, displayName }) => [id, displayName]))
}

app.post('/connect', async (req, res) => {
  const { url, state } = await causeway.connect.begin({
    tenantId: CAUSEWAY_TENANT,
    integrationId: INTEGRATION,
    endUser: { id: req.session.userId },
    returnUrl: `${APP_URL}/connected`,
  })
  req.session.connecting = state
  res.redirect(303, url)
})

app.get('/connected', async (req, res) => {
  const link = await causeway.connect.finish(req.query, req.session.connecting)
  if (link.continueUrl) return res.redirect(303, link.continueUrl)
  res.send(returnPage(link))
})

app.use((error, _req, res, next) => {
  if (!(error instanceof CausewayError)) return next(error)
  // 400: a forged webhook, or a browser that returned with another user's link.
  if (error.statusCode === 400) return res.status(400).send(error.message)
  console.error(error.code, error.message)
  res.status(502).send('That did not work. Please try again.')
})

app.listen(PORT, (error) => console.log(error?.message ?? `Listening at ${APP_URL}`))
