// A valid body for each kind, with its prerequisites.
type Sample = { path: string; parents?: Array<{ path: string; body: object }>; spec: object; putSpec?: object }

const vpc = { path: '/vpcs', body: { metadata: { name: 'net' }, spec: {} } }
const gateway = { path: '/vpcs/net/egressgateways', body: { metadata: { name: 'gate' }, spec: {} } }

const box = { path: '/sandboxes', body: { metadata: { name: 'fine' }, spec: {} } }
const site = { path: '/sandboxes/fine/previews', body: { metadata: { name: 'fine' }, spec: { port: 8_080 } } }

export const samples: Record<string, Sample> = {
  agent: { path: '/agents', spec: { runtime: { image: 'local/echo' } } },
  customdomain: { path: '/customdomains', spec: { domain: 'files.acme.example' } },
  drive: { path: '/drives', spec: { region: 'local', size: 10 } },
  egressgateway: { path: '/vpcs/net/egressgateways', parents: [vpc], spec: {} },
  egressip: { path: '/vpcs/net/egressgateways/gate/ips', parents: [vpc, gateway], spec: { ipFamily: 'IPv4' } },
  function: { path: '/functions', spec: { type: 'mcp', runtime: { type: 'mcp' } } },
  integrationconnection: {
    path: '/integrations/connections',
    spec: { integration: 'filebox', secret: { REFRESH_TOKEN: 'CANARY-refresh' } },
  },
  job: { path: '/jobs', spec: { runtime: { image: 'local/echo', envs: [{ name: 'A', value: 'b' }] } } },
  model: { path: '/models', spec: { runtime: { image: 'local/echo' } } },
  policy: { path: '/policies', spec: { type: 'location', locations: [{ name: 'local' }] } },
  sandbox: { path: '/sandboxes', spec: { runtime: { memory: 512 } } },
  preview: { path: '/sandboxes/fine/previews', parents: [box], spec: { port: 8_080, public: false } },
  previewtoken: { path: '/sandboxes/fine/previews/fine/tokens', parents: [box, site], spec: {} },
  volume: { path: '/volumes', spec: { region: 'local', size: 1_024 } },
  volumetemplate: { path: '/volume_templates', spec: { defaultSize: 512 } },
  vpc: { path: '/vpcs', spec: {} },
}
