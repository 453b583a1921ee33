import { afterAll, beforeAll, expect, test } from 'vitest'
import { EgressIp } from '../../../src/contract/control-plane/networking.ts'
import { type PlatformWorld, platformWorld } from '../../support/platform-world.ts'

let world: PlatformWorld
let api: ReturnType<PlatformWorld['as']>

beforeAll(async () => {
  world = await platformWorld({ env: { EGRESS_IPV4_RANGE: '198.51.100.0/29' } })
  api = world.as(world.admin)
  await api
    .post('/v0/vpcs')
    .send({ metadata: { name: 'net' }, spec: {} })
    .expect(200)
  await api
    .post('/v0/vpcs/net/egressgateways')
    .send({ metadata: { name: 'gate' }, spec: {} })
    .expect(200)
})

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

test('addresses asked for at the same time all differ, and a range that is used up is said to be', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => api.post(ips).send(ip(`many-${at}`, 'IPv4'))))

  const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.spec.publicIp)
  expect(new Set(given).size).toBe(6)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
})

test.each([
  ['ipFamily', { metadata: { name: 'x' }, spec: {} }],
  ['ipFamily', { metadata: { name: 'x' }, spec: { ipFamily: 'IPv5' } }],
  ['name', { metadata: {}, spec: { ipFamily: 'IPv4' } }],
  ['spec', { metadata: { name: 'x' } }],
])('an egress IP without a good %s is refused', async (member, sent) => {
  const answer = await api.post(ips).send(sent)

  expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(member)])
})

test('the family of an egress IP may not change', async () => {
  await api.post(ips).send(ip('stays', 'IPv6')).expect(200)

  const answer = await api.put(`${ips}/stays`).send(ip('stays', 'IPv4'))

  expect([answer.status, answer.body.message]).toEqual([400, 'spec.ipFamily may not change.'])
})

test('nothing is created inside a VPC or gateway that is not there', async () => {
  const noVpc = await api.post('/v0/vpcs/none/egressgateways').send({ metadata: { name: 'g' }, spec: {} })
  const noGateway = await api.post('/v0/vpcs/net/egressgateways/none/ips').send(ip('lost', 'IPv6'))

  expect([noVpc.status, noGateway.status]).toEqual([404, 404])
})

test('a gateway with addresses and a VPC with gateways are not deleted', async () => {
  await api.post(ips).send(ip('inside', 'IPv6')).expect(200)

  const gateway = await api.delete('/v0/vpcs/net/egressgateways/gate')
  const vpc = await api.delete('/v0/vpcs/net')

  expect([gateway.status, vpc.status]).toEqual([409, 409])
})

test('the flat lists look into every VPC and gateway', async () => {
  await api
    .post('/v0/vpcs')
    .send({ metadata: { name: 'net-2' }, spec: {} })
    .expect(200)
  await api
    .post('/v0/vpcs/net-2/egressgateways')
    .send({ metadata: { name: 'gate' }, spec: {} })
    .expect(200)

  const gateways = await api.get('/v0/egressgateways')

  expect(gateways.body.map(({ metadata }: { metadata: { vpcName: string } }) => metadata.vpcName)).toEqual([
    'net-2',
    'net',
  ])
})
