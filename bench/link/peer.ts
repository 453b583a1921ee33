// The usual stack: express, express-session with connect-redis, passport-oauth2, two POSTs. No ledger, escrow or audit.
// With PEER_HTTP=undici the two POSTs use an undici pool instead of the global fetch.
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { RedisStore } from 'connect-redis'
import express from 'express'
import session from 'express-session'
import { Redis } from 'ioredis'
import passport from 'passport'
import { Strategy, type StrategyOptions } from 'passport-oauth2'
import { Pool } from 'undici'

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

const pool = process.env.PEER_HTTP === 'undici' ? new Pool(stub, { connections: 64 }) : undefined

async function post(path: string, document: object): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-service-workspace': 'acme' }
  const call = { method: 'POST', headers, body: JSON.stringify(document) } as const
  if (pool) await (await pool.request({ ...call, path })).body.json()
  else await (await fetch(`${stub}${path}`, call)).json()
}

process.on('disconnect', () => process.exit(0))
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.({ ready: true, port: (server.address() as AddressInfo).port })
})
