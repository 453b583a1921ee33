// The usual way: express, express-session with connect-redis, passport-oauth2, two POSTs. No ledger, no escrow, no audit.
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import { Redis } from 'ioredis'
import passport from 'passport'
import { Strategy, type StrategyOptions } from 'passport-oauth2'

const stub = process.env.STUB_URL as string
const redis = new Redis(process.env.REDIS_URL as string)
const app = express()

app.use(
  session({
    store: new RedisStore({ client: redis, prefix: 'peer:' }),
    secret: randomBytes(32).toString('hex'),
    resave: false,
    saveUninitialized: false,
  }),
)
app.use(passport.initialize())

const strategy = new Strategy(
  {
    authorizationURL: `${stub}/authorize`,
    tokenURL: `${stub}/token`,
    clientID: 'c',
    clientSecret: 's',
    callbackURL: 'http://127.0.0.1/callback',
    scope: ['files.read'],
    state: true,
    pkce: true,
  } as StrategyOptions,
  (_accessToken: string, refreshToken: string, _profile: unknown, done: (error: unknown, user?: object) => void) => {
    provision(refreshToken).then((user) => done(null, user), done)
  },
)
strategy.authorizationParams = () => ({ access_type: 'offline' })
passport.use('provider', strategy)

app.post('/connect', passport.authenticate('provider', { session: false }))
app.get('/callback', passport.authenticate('provider', { session: false }), (_req, res) => {
  res.redirect(303, 'https://acme.example/return?status=linked')
})

async function provision(refreshToken: string): Promise<object> {
  const name = randomBytes(8).toString('hex')
  const secret = { CLIENT_ID: 'c', CLIENT_SECRET: 's', REFRESH_TOKEN: refreshToken }
  await post('/v0/integrations/connections', { metadata: { name }, spec: { integration: 'provider', secret } })
  await post('/v0/functions', { metadata: { name }, spec: { type: 'mcp', integrationConnections: [name] } })
  return { name }
}

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-service-workspace': 'acme' }
  const answer = await fetch(`${stub}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  await answer.json()
}

process.on('disconnect', () => process.exit(0))
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
