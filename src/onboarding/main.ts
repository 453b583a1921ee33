import '../kit/process/quiet-libraries.ts'

// Not by a static import: in what a bundler makes of those, the libraries may come first.
await import('./program.ts')
