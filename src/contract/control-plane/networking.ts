// A VPC holds egress gateways. A gateway holds the IP addresses of outgoing traffic.
import { z } from 'zod'
import { CoreEvent, DeploymentStatus, input, Metadata, noted } from '../resource.ts'

const VpcSpec = z.object({ region: z.string().max(63).optional() })

export const VpcInput = input(VpcSpec)
export const Vpc = noted(VpcSpec)
export type Vpc = z.infer<typeof Vpc>

const GatewaySpec = z.object({ region: z.string().max(63).optional() })

export const EgressGatewayInput = input(GatewaySpec)
export const EgressGateway = noted(GatewaySpec)
export type EgressGateway = z.infer<typeof EgressGateway>

const IpSpec = z.object({ ipFamily: z.enum(['IPv4', 'IPv6']).meta({ default: 'IPv4' }) })

export const EgressIpInput = input(IpSpec)
export type EgressIpInput = z.input<typeof EgressIpInput>

export const EgressIp = z.object({
  metadata: Metadata.extend({ gatewayName: z.string(), vpcName: z.string() }),
  spec: IpSpec.extend({ publicIp: z.string() }),
  events: z.array(CoreEvent),
  status: DeploymentStatus,
})
export type EgressIp = z.infer<typeof EgressIp>

const CustomDomainSpec = z.object({
  region: z.string().max(63).optional(),
  domain: z
    .string()
    .max(253)
    .regex(/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a lower-case domain name')
    .optional(),
})

export const CustomDomainInput = input(CustomDomainSpec)
export const CustomDomain = noted(
  CustomDomainSpec.extend({
    /** Names of TXT records with the values that prove the domain. */
    txtRecords: z.record(z.string(), z.string()),
    /** What a CNAME record of the domain and of its subdomains should name. */
    cnameRecords: z.string(),
    status: z.enum(['pending', 'verified', 'failed']),
    verificationError: z.string().optional(),
    lastVerifiedAt: z.iso.datetime().optional(),
  }),
)
export type CustomDomain = z.infer<typeof CustomDomain>
