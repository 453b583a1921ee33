import { afterAll, expect, test } from 'vitest'
import { EgressIp } from '../../../src/contract/control-plane/networking.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld({ env: { EGRESS_IPV4_RANGE: '198.51.100.0/29' } })
const api = world.as(world.admin)
await createResource(api, 'vpcs', 'net')
await createResource(api, 'vpcs/net/egressgateways', 'gate')

afterAll(() => world.close())

const ips = '/v0/vpcs/net/egressgateways/gate/ips'
const ip = (name: string, ipFamily: string) => ({ metadata: { name, displayName: 'Out & about' }, spec: { ipFamily } })

test('an egress IP names its gateway and VPC and has an address of its family', async () => {
  const four = await api.post(ips).send(ip('four', 'IPv4'))
  const six = await api.post(ips).send(ip('six', 'IPv6'))

  expect(EgressIp.parse(four.body)).toMatchObject({
    metadata: { name: 'four', displayName: 'Out & about', gatewayName: 'gate', vpcName: 'net', workspace: 'acme' },
    spec: { ipFamily: 'IPv4', publicIp: '198.51.100.1' },
    status: 'DEPLOYED',
  })
  expect(six.body.spec.publicIp).toBe('2001:db8:e9e5::1')
  await api.delete(`${ips}/four`).expect(200)
})

test('concurrently allocated addresses differ, and an exhausted range is reported', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => api.post(ips).send(ip(`many-${at}`, 'IPv4'))))

  const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.spec.publicIp)
  expect(new Set(given).size).toBe(6)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
})

test('many concurrent creates succeed, each with its own address', async () => {
  const crowd = Array.from({ length: 40 }, (_, at) => ip(`crowd-${at}`, 'IPv6'))

  const answers = await Promise.all(crowd.map((each) => api.post(ips).send(each)))

  const given = new Set(answers.map(({ status, body }) => status === 200 && body.spec.publicIp))
  expect([given.size, given.has(false)]).toEqual([40, false])
})

test.each([
  ['203.0.113.77/29', ['203.0.113.73', '203.0.113.74']],
  ['203.0.113.8/31', []],
  ['203.0.113.8/32', []],
])('the range %s contains the addresses between its first and its last', async (range, expected) => {
  const small = await platformWorld({ env: { EGRESS_IPV4_RANGE: range } })
  const owner = small.as(small.admin)
  for (const { path, body } of samples.egressip!.parents!) await owner.post(`/v0${path}`).send(body).expect(200)

  const first = await owner.post(ips).send(ip('one', 'IPv4'))
  const second = await owner.post(ips).send(ip('two', 'IPv4'))
  await small.close()

  const given = [first, second].flatMap(({ status, body }) => (status === 200 ? [body.spec.publicIp] : []))
  expect(given).toEqual(expected)
})

test.each([
  ['EGRESS_IPV4_RANGE', '2001:db8::/64'],
  ['EGRESS_IPV6_RANGE', '203.0.113.0/24'],
  ['EGRESS_IPV4_RANGE', '203.0.113.0'],
])('rejects %s=%s', (name, range) => {
  const env = { DATABASE_URL: 'postgres://x', ENCRYPTION_KEYS: `k:${'0'.repeat(64)}`, [name]: range }

  expect(() => readConfig(env)).toThrow(`${name}: must be a CIDR range`)
})

test('read-only fields of an egress IP are ignored in a body', async () => {
  const sent = {
    metadata: {
      name: 'tampered',
      labels: { team: 'a' },
      gatewayName: 'x',
      vpcName: 'y',
      createdBy: 'z',
      workspace: 'w',
    },
    spec: { ipFamily: 'IPv6', publicIp: '2001:db8::1' },
    status: 'FAILED',
    events: [],
  }

  const { body: created } = await api.post(ips).send(sent).expect(200)
  const { body: updated } = await api.put(`${ips}/tampered`).send(sent).expect(200)

  expect(created.metadata).toMatchObject({ gatewayName: 'gate', vpcName: 'net', workspace: 'acme' })
  expect(created.metadata).toMatchObject({ createdBy: 'admin@acme.example', labels: { team: 'a' } })
  expect(created.spec.publicIp).toMatch(/^2001:db8:e9e5::/)
  expect({ ...updated, metadata: { ...updated.metadata, updatedAt: created.metadata.updatedAt } }).toEqual(created)
})

test.each([
  ['ipFamily', { metadata: { name: 'x' }, spec: {} }],
  ['ipFamily', { metadata: { name: 'x' }, spec: { ipFamily: 'IPv5' } }],
  ['name', { metadata: {}, spec: { ipFamily: 'IPv4' } }],
  ['spec', { metadata: { name: 'x' } }],
])('an egress IP without a valid %s is rejected', async (member, sent) => {
  const answer = await api.post(ips).send(sent)

  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(member)])
})

test('the family of an egress IP is immutable', async () => {
  await api.post(ips).send(ip('stays', 'IPv6')).expect(200)

  const answer = await api.put(`${ips}/stays`).send(ip('stays', 'IPv4'))

  expect([answer.status, answer.body.message]).toEqual([400, 'spec.ipFamily may not change.'])
})

test('creating or listing in a missing VPC or gateway is 404', async () => {
  const listed = await Promise.all(
    [
      '/v0/vpcs/none/egressgateways',
      '/v0/vpcs/none/egressgateways/gate/ips',
      '/v0/vpcs/net/egressgateways/none/ips',
    ].map((path) => api.get(path)),
  )
  const noVpc = await api.post('/v0/vpcs/none/egressgateways').send({ metadata: { name: 'g' }, spec: {} })
  const noGateway = await api.post('/v0/vpcs/net/egressgateways/none/ips').send(ip('lost', 'IPv6'))

  expect([noVpc.status, noGateway.status]).toEqual([404, 404])
  expect(listed.map(({ body }) => body.message)).toEqual([
    'No vpc has this name.',
    'No vpc has this name.',
    'No egressgateway has this name.',
  ])
})

test('a gateway with addresses and a VPC with gateways cannot be deleted', async () => {
  await api.post(ips).send(ip('inside', 'IPv6')).expect(200)

  const gateway = await api.delete('/v0/vpcs/net/egressgateways/gate')
  const vpc = await api.delete('/v0/vpcs/net')

  expect([gateway.status, vpc.status]).toEqual([409, 409])
})

test('the flat lists include every VPC and gateway', async () => {
  await createResource(api, 'vpcs', 'net-2')
  await createResource(api, 'vpcs/net-2/egressgateways', 'gate')

  const gateways = await api.get('/v0/egressgateways')

  expect(gateways.body.map(({ metadata }: { metadata: { vpcName: string } }) => metadata.vpcName)).toEqual([
    'net-2',
    'net',
  ])
})

test('of a concurrent delete and a create inside, one is rejected', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `passing-${at}`)
  const plain = (name: string) => ({ metadata: { name }, spec: {} })
  await Promise.all(names.map((name) => api.post('/v0/vpcs').send(plain(name)).expect(200)))

  const pairs = await Promise.all(
    names.map((name) =>
      Promise.all([api.delete(`/v0/vpcs/${name}`), api.post(`/v0/vpcs/${name}/egressgateways`).send(plain('in'))]),
    ),
  )

  const outcomes = new Set(pairs.map(([deleted, created]) => `${deleted.status} ${created.status}`))
  expect(['200 404', '409 200']).toEqual(expect.arrayContaining([...outcomes]))
})
