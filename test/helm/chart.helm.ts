// The chart as a cluster would get it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { readDocument } from '../architecture/documents.ts'

type KubernetesObject = {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string> }
  spec: unknown
}

type PodSpec = { containers: object[] }

const chart = new URL('../../deploy/helm/causeway', import.meta.url).pathname
const tsc = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname
const models = process.env.KUBERNETES_MODELS ?? ''
const require = createRequire(import.meta.url)

const least = {
  onboarding: { publicUrl: 'https://connect.example.com', existingSecret: 'causeway-onboarding' },
  platformUrl: 'https://platform.example.com/v0',
}
const fullValues = {
  ...least,
  onboarding: {
    ...least.onboarding,
    ownerSecret: 'causeway-onboarding-owner',
    env: { LOG_LEVEL: 'info', RATE_MINT_PER_MINUTE: 600 },
    ingress: { enabled: true, className: 'nginx', tlsSecret: 'tls', annotations: { a: 'b' } },
  },
  platform: {
    enabled: true,
    replicas: 2,
    publicUrl: 'https://platform.example.com',
    existingSecret: 'causeway-platform',
    ownerSecret: 'causeway-platform-owner',
    persistence: { accessMode: 'ReadWriteMany', storageClass: 'shared' },
    workloads: { namespace: 'causeway-workloads', quota: { pods: '10', 'limits.memory': '8Gi' } },
    ingress: { enabled: true },
  },
  image: {
    repository: 'registry.example/causeway',
    digest: `sha256:${'0'.repeat(64)}`,
    pullSecrets: [{ name: 'pull' }],
  },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    rules: { enabled: true, labels: { release: 'prometheus' } },
  },
  extraVolumes: [{ name: 'vault', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'vault', mountPath: '/vault', readOnly: true }],
  integrationsSecret: 'integrations',
  settingsSecret: 'settings',
  caConfigMap: 'ca',
  networkPolicy: { from: [{ namespaceSelector: {} }], metricsFrom: [{ podSelector: {} }] },
  podAnnotations: { a: 'b' },
  nodeSelector: { a: 'b' },
  tolerations: [{ operator: 'Exists' }],
}

const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(readDocument('deploy/helm/causeway/values.schema.json')),
)

function render(values: object): KubernetesObject[] {
  if (!isValid(values)) throw new Error(JSON.stringify(isValid.errors))
  const input = JSON.stringify(values)
  return JSON.parse(
    execFileSync(process.env.HELM_RENDER ?? '', [chart, 'demo'], { input, encoding: 'utf8', stdio: 'pipe' }),
  )
}

const named = (objects: KubernetesObject[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()

/** Throws where a member is missing or of another type or format. It lets unknown members pass. */
function assertTyped(object: KubernetesObject): void {
  const model = require(join(models, modelOf(object)))[object.kind]
  new model(object).validate()
}

const modelOf = ({ apiVersion, kind }: KubernetesObject) => join(apiVersion.includes('/') ? apiVersion : 'v1', kind)

/** Throws where a member is unknown to the API's type, by the compiler: it refuses those of an object that is written out. */
function assertKnown(objects: KubernetesObject[]): void {
  const typed = objects.map((object, index) => {
    const type = `I${object.kind}`
    const file = JSON.stringify(`kubernetes-models/${modelOf(object)}`)
    return `export const object${index}: import(${file}).${type} = ${JSON.stringify(object, null, 1)}\n`
  })
  // Beside the package's folder, where the compiler finds it.
  const folder = mkdtempSync(join(models, '../../rendered-'))
  try {
    const file = join(folder, 'objects.ts')
    writeFileSync(file, typed.join(''))
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', '']
    execFileSync(tsc, ['--ignoreConfig', ...options, file], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    throw new Error((error as { stdout?: string }).stdout || String(error))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe.each([
  ['only required values', least],
  ['everything', fullValues],
])('with %s', (_what, values) => {
  const objects = render(values)

  test('the Kubernetes API accepts every object', () => {
    expect(objects.length).toBeGreaterThan(3)
    // Objects of the Prometheus operator are not part of the Kubernetes API.
    const ofKubernetes = objects.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos.com/'))
    for (const object of ofKubernetes) assertTyped(object)
    assertKnown(ofKubernetes)
  })

  test('containers run as non-root, read-only, without capabilities, and have probes', () => {
    const withPods = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    for (const { kind, spec } of withPods) {
      const pod = (spec as { template: { spec: PodSpec } }).template.spec
      expect(pod).toMatchObject({ securityContext: { runAsNonRoot: true } })
      for (const container of pod.containers) {
        expect(container).toMatchObject({
          resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
        })
      }
      if (kind === 'Job') continue
      expect(pod.containers[0]).toMatchObject({
        readinessProbe: { httpGet: { path: '/readyz' } },
        livenessProbe: { httpGet: { path: '/healthz' } },
      })
    }
  })

  test('selectors match their pods', () => {
    for (const { kind, spec, metadata } of objects.filter((object) => object.kind === 'Service')) {
      const deployment = objects.find((other) => other.kind === 'Deployment' && other.metadata.name === metadata.name)
      expect(deployment?.metadata.labels, kind).toMatchObject((spec as { selector: object }).selector)
    }
  })
})

test('the product alone has a deployment with its service, budget, policy and autoscaler', () => {
  expect(named(render(least))).toEqual([
    'Deployment demo-onboarding',
    'HorizontalPodAutoscaler demo-onboarding',
    'NetworkPolicy demo-onboarding',
    'PodDisruptionBudget demo-onboarding',
    'Service demo-onboarding',
  ])
})

test('migrations run before the programs start, from the same image, and only they have the owner’s password', () => {
  const objects = render(fullValues)
  const text = JSON.stringify(objects.filter(({ kind }) => kind === 'Job'))
  const deployments = JSON.stringify(objects.filter(({ kind }) => kind === 'Deployment'))

  expect(text).toContain('"args":["causeway","migrate"]')
  expect(text).toContain('"args":["platform","migrate"]')
  expect(text).toContain(`registry.example/causeway@sha256:${'0'.repeat(64)}`)
  expect(text).toContain('"helm.sh/hook":"pre-install,pre-upgrade"')
  expect(deployments).not.toContain('-owner')
})

test.each([
  ['a public URL', { ...least, onboarding: { existingSecret: 'x' } }, 'onboarding.publicUrl is needed'],
  [
    'a secret',
    { ...least, onboarding: { publicUrl: 'https://connect.example.com' } },
    'onboarding.existingSecret is needed',
  ],
  ['a platform', { onboarding: least.onboarding }, 'platformUrl is needed, or platform.enabled'],
])('without %s the error names it', (_what, values, sentence) => {
  expect(() => render(values)).toThrow(sentence)
})

test('the check finds what the Kubernetes API would reject', () => {
  const [deployment] = render(least).filter(({ kind }) => kind === 'Deployment') as [KubernetesObject]
  const spec = deployment.spec as Record<string, unknown>
  const withSpec = (more: object) => ({ ...deployment, spec: { ...spec, ...more } })

  expect(() => assertTyped(withSpec({ minReadySeconds: 'long' }))).toThrow('must be integer')
  expect(() => assertTyped(withSpec({ selector: undefined }))).toThrow('must have required property selector')
  expect(() => assertKnown([deployment, withSpec({ replica: 2 })])).toThrow('"replica"')
})

test('the platform accepts traffic from the product in addition to other callers', () => {
  const policy = render(fullValues).find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'demo-platform',
  )

  expect(policy?.spec).toMatchObject({
    ingress: [
      {
        from: [
          { namespaceSelector: {} },
          { podSelector: { matchLabels: { 'app.kubernetes.io/component': 'onboarding' } } },
        ],
      },
      { ports: [{ port: 'metrics' }] },
    ],
  })
})

test('both programs get the settings key, and the platform may ask the product for settings', () => {
  const objects = render(fullValues)
  const partOf = (kind: string, name: string) =>
    JSON.stringify(objects.find((object) => object.kind === kind && object.metadata.name === name))
  const [product, platform] = [partOf('Deployment', 'demo-onboarding'), partOf('Deployment', 'demo-platform')]

  for (const deployment of [product, platform]) {
    expect(deployment).toContain('{"secretKeyRef":{"key":"SETTINGS_KEY","name":"settings"}}')
  }
  expect(platform).toContain('{"name":"SETTINGS_URL","value":"http://demo-onboarding"}')
  expect(platform).toContain('{"name":"INSECURE_HTTP_HOSTS","value":"demo-onboarding"}')
  expect(product).toContain('{"name":"ALLOWED_HOSTS","value":"demo-onboarding"}')
  expect(partOf('NetworkPolicy', 'demo-onboarding')).toContain('"app.kubernetes.io/component":"platform"')
})

test('only a platform that runs workloads has a token, with rights in their namespace only', () => {
  const objects = render(fullValues)
  const tokens = objects
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .filter(({ spec }) => JSON.stringify(spec).includes('"automountServiceAccountToken":true'))
  const role = objects.find(({ kind }) => kind === 'Role') as { rules: Array<{ verbs: string[] }> } | undefined
  const without = render({ ...fullValues, platform: { ...fullValues.platform, workloads: {} } })

  expect(named(tokens)).toEqual(['Deployment demo-platform'])
  expect(JSON.stringify(tokens)).toContain('{"name":"ENGINE_URL","value":"kubernetes:causeway-workloads"}')
  expect(named(objects.filter((object) => 'namespace' in object.metadata))).toEqual([
    'NetworkPolicy causeway-workloads',
    'ResourceQuota demo-platform',
    'Role demo-platform',
    'RoleBinding demo-platform',
  ])
  expect(JSON.stringify(role?.rules)).not.toMatch(/secrets|\*|update|patch/)
  expect(JSON.stringify(without)).not.toMatch(/"automountServiceAccountToken":true|ServiceAccount"|ENGINE_URL/)
})

test('workloads need a namespace of their own', () => {
  const platform = { ...fullValues.platform, workloads: { namespace: 'default' } }

  expect(() => render({ ...fullValues, platform })).toThrow('needs a namespace of its own')
})

test('Prometheus in the namespace monitoring can read metrics by default', () => {
  const policy = render(least).find(({ kind }) => kind === 'NetworkPolicy')

  expect(JSON.stringify(policy)).toContain('"kubernetes.io/metadata.name":"monitoring"')
})

test('the Prometheus operator gets the jobs that alerts expect, and the rules of deploy/prometheus', () => {
  const objects = render(fullValues)
  const jobs = objects
    .filter(({ kind }) => kind === 'ServiceMonitor')
    .flatMap(({ spec }) => (spec as { endpoints: { relabelings: { replacement: string }[] }[] }).endpoints)
    .flatMap(({ relabelings }) => relabelings.map(({ replacement }) => replacement))
  const rules = objects.filter(({ kind }) => kind === 'PrometheusRule')
  const alerts = JSON.stringify(rules).match(/"alert":"\w+"/g)

  expect(jobs).toEqual(['causeway', 'platform'])
  expect(alerts).toHaveLength(
    ['causeway', 'platform'].flatMap((name) => [
      ...readDocument(`deploy/prometheus/${name}-alerts.yml`).matchAll(/- alert: /g),
    ]).length,
  )
})

test('one pod has no disruption budget, also with an autoscaler', () => {
  const values = { ...least, onboarding: { ...least.onboarding, autoscaling: { minReplicas: 1 } } }

  expect(named(render(values)).filter((name) => name.startsWith('PodDisruptionBudget'))).toEqual([])
})

test('secrets can come from files only', () => {
  const env = { DATABASE_URL_FILE: '/vault/database-url' }
  const values = { ...least, onboarding: { publicUrl: 'https://connect.example.com', env } }

  expect(JSON.stringify(render(values))).not.toContain('secretRef')
})

test('several platform pods need a volume that several nodes can write', () => {
  const { persistence: _, ...platform } = fullValues.platform

  expect(() => render({ ...fullValues, platform })).toThrow('ReadWriteMany')
})

test('a misspelled value is rejected', () => {
  expect(() => render({ ...least, networkPolicies: {} })).toThrow('additionalProperties')
})
