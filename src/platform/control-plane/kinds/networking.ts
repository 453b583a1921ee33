import {
  CustomDomain,
  CustomDomainInput,
  EgressGateway,
  EgressGatewayInput,
  EgressIp,
  EgressIpInput,
  Vpc,
  VpcInput,
} from '../../../contract/control-plane/networking.ts'
import { shownDomain } from '../domain/custom-domain.ts'
import type { Kind } from '../domain/kind.ts'

export const customDomain: Kind = {
  name: 'customdomain',
  path: '/customdomains',
  param: 'customDomainName',
  scope: 'customdomains',
  listing: 'array',
  input: CustomDomainInput,
  document: CustomDomain,
  hasEvents: true,
  assigned: ['txtRecords', 'cnameRecords', 'status', 'verificationError', 'lastVerifiedAt'],
  extraSpec: (resource, { domainProof, domainTarget }) => shownDomain(resource, domainProof(resource.id), domainTarget),
}

export const vpc: Kind = {
  name: 'vpc',
  path: '/vpcs',
  param: 'vpcName',
  scope: 'vpcs',
  listing: 'array',
  input: VpcInput,
  document: Vpc,
  noEffect: 'VPCs have no effect on this platform: no traffic goes through them.',
  immutable: ['region'],
  child: 'egressgateway',
}

export const egressGateway: Kind = {
  name: 'egressgateway',
  path: '/vpcs/{vpcName}/egressgateways',
  param: 'gatewayName',
  scope: 'egressgateways',
  listing: 'array',
  input: EgressGatewayInput,
  document: EgressGateway,
  noEffect: 'Egress gateways have no effect on this platform: no traffic goes through them.',
  immutable: ['region'],
  parents: [{ kind: 'vpc', param: 'vpcName' }],
  child: 'egressip',
  extraMetadata: ({ parent }) => ({ vpcName: parent }),
}

export const egressIp: Kind = {
  name: 'egressip',
  path: '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips',
  param: 'ipName',
  scope: 'egressips',
  listing: 'array',
  input: EgressIpInput,
  document: EgressIp,
  noEffect: 'Egress addresses have no effect on this platform: no traffic leaves from them.',
  deploys: 'at once',
  immutable: ['ipFamily'],
  assigned: ['publicIp'],
  parents: [
    { kind: 'vpc', param: 'vpcName' },
    { kind: 'egressgateway', param: 'gatewayName' },
  ],
  extraMetadata: ({ parent }) => {
    const [vpcName = '', gatewayName = ''] = parent.split('/')
    return { vpcName, gatewayName }
  },
}
