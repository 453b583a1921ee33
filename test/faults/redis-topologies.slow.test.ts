// Links on a Redis Cluster, and on a primary with Sentinels.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { awaitRedis, openRedis } from '../../src/kit/database/redis.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillableRedis } from '../support/processes/killable-stores.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { clusterSettings, startSentinel } from '../support/processes/redis-topologies.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

test('the program follows Sentinels to the new primary when the old one is killed', async () => {
  const fleet = await fleetOn({})
  const { port, password } = fleet.redis
  const replica = await startKillableRedis({ replicaof: `127.0.0.1 ${port}`, masterauth: password }, password)
  closing.push(replica.stop)
  await waitFor('the replica is in step', async () =>
    String(await replica.command('info', 'replication')).includes('master_link_status:up'),
  )
  const sentinel = await sentinelOf(port, password)
  await waitFor('the sentinel knows the replica', async () =>
    String(await sentinel.command('sentinel', 'replicas', 'main')).includes(String(replica.port)),
  )
  await fleet.start({ REDIS_URL: `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main` })
  await fleet.putTenant('acme')
  await expectLinks(fleet, 1)

  await fleet.redis.kill()
  // A Sentinel whose clock jumps (a stalled machine) decides nothing for half a minute.
  await waitFor(
    'the replica leads',
    async () => String(await replica.command('info', 'replication')).includes('role:master'),
    { withinMs: 90_000 },
  )

  await expectLinks(fleet, 2)
}, 240_000)

test('links work on a Redis Cluster with TLS', async () => {
  const tls = await tlsSettings()
  const settings = {
    ...(await clusterSettings()),
    'tls-cluster': 'yes', // clients learn the TLS port
    ...tls.settings,
  }
  const fleet = await fleetOn({ redis: settings })
  const { password, command } = fleet.redis
  await command('cluster', 'addslotsrange', '0', '16383')
  await waitFor('the cluster is formed', async () =>
    String(await command('cluster', 'info')).includes('cluster_state:ok'),
  )

  const REDIS_URL = `rediss+cluster://:${password}@127.0.0.1:${tls.port}`
  await fleet.start({ REDIS_URL, NODE_EXTRA_CA_CERTS: tls.certificate })
  await fleet.putTenant('acme')

  await expectLinks(fleet, 1)
}, 120_000)

test('links work on Sentinels with TLS and their own password', async () => {
  const tls = await tlsSettings()
  const fleet = await fleetOn({ redis: tls.settings })
  const { password } = fleet.redis
  const own = await tlsSettings(tls)
  const sentinel = await sentinelOf(tls.port, password, {
    requirepass: 'sentinel/secret',
    'tls-replication': 'yes',
    ...own.settings,
  })
  await waitFor('the sentinel knows the primary', async () =>
    String(await sentinel.command('sentinel', 'master', 'main')).includes('flags,master,'),
  )

  const sentinels = `:${password}@127.0.0.1:${own.port}/main?sentinelPassword=${encodeURIComponent('sentinel/secret')}`
  await fleet.start({ REDIS_URL: `rediss+sentinel://${sentinels}`, NODE_EXTRA_CA_CERTS: tls.certificate })
  await fleet.putTenant('acme')

  await expectLinks(fleet, 1)
}, 120_000)

test('Sentinels that reject the password are reported at start', async () => {
  const fleet = await fleetOn({})
  const { port, password } = fleet.redis
  const sentinel = await sentinelOf(port, password, { requirepass: 'sentinel-secret' })
  const at = `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main`
  const refusalOf = (url: string) => {
    const client = openRedis(url)
    closing.push(() => client.disconnect())
    return awaitRedis(client, 20_000).catch(({ message }) => message)
  }

  expect(await refusalOf(at)).toMatch(
    /^REDIS_URL: the Sentinels ask for a password \(NOAUTH\): add \?sentinelPassword=/,
  )
  expect(await refusalOf(`${at}?sentinelPassword=other`)).toMatch(/^REDIS_URL: the Sentinels do not accept .*WRONGPASS/)
}, 120_000)

/** With `other`, the same certificate on another port. */
async function tlsSettings(other?: { certificate: string; key: string }) {
  const port = await freePort()
  const { certificate, key } = other ?? createCertificate(temporaryFolder())
  const settings = {
    'tls-port': String(port),
    'tls-cert-file': certificate,
    'tls-key-file': key,
    'tls-ca-cert-file': certificate,
    'tls-auth-clients': 'no',
  }
  return { port, certificate, key, settings }
}

function createCertificate(folder: string) {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const names = ['-subj', '/CN=redis.test', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1']
  const files = ['-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...names], { stdio: 'ignore' })
  return { key, certificate }
}

async function fleetOn(options: Parameters<typeof startFleet>[0]): Promise<Fleet> {
  const fleet = await startFleet(options)
  closing.push(fleet.close)
  return fleet
}

async function expectLinks(fleet: Fleet, count: number) {
  await linkPatiently(fleet, { withinMs: 60_000 })
  await untilQuiet(fleet)
  const { rows } = await fleet.sql.query(`select id from links where state = 'linked'`)
  expect(rows).toHaveLength(count)
}

async function sentinelOf(...given: Parameters<typeof startSentinel>) {
  const sentinel = await startSentinel(...given)
  closing.push(sentinel.stop)
  return sentinel
}
