import { describeComponents } from './react-components.ts'

describeComponents('React 19', async () => ({}))
