import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Priced } from '../../../contract/tracing/priced.ts';
import { messageOf } from '../../../process/message-of.ts';
import type { CallFacts } from './call-facts.ts';
import { CustomPricesFile } from './custom-prices.ts';
import { matches } from './match-text.ts';
import { BundledModels, BundledPrices, pricesAt } from './model-price.ts';
import { priceCall } from './price-call.ts';
import type { TokenUsage } from './read-usage.ts';

/** The name of a price file. */
const FILE = 'prices.json';
const BUNDLED = fileURLToPath(new URL('model-prices.json', import.meta.url));
/** Service tiers at half the price, with their providers, as documented by OpenAI, Anthropic, Google and Mistral. */
const HALF_PRICE: ReadonlyMap<string, readonly string[]> = new Map([
  ['batch', ['openai', 'azure', 'anthropic', 'google', 'mistral']],
  ['flex', ['openai', 'azure', 'google']],
]);
/** Service tiers at the normal price. */
const STANDARD_TIERS = /^(?:default|standard|auto|on_demand|on-demand|standard_only)$/i;
/** Provider names that the data does not contain, and the providers that they mean. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/^az\.|azure/i, 'azure'],
  [/^gcp\./i, 'google'],
  [/^x_ai$/i, 'x-ai'],
];
/** Gateways and frameworks that call models of any provider; the model's name has to identify it. */
const GATEWAYS = /^(?:litellm|gateway|strands-agents|langchain|vercel|portkey)$/i;
/** How many names of models are remembered. */
const MAX_FOUND = 10_000;
/** The names of models in Amazon Bedrock. */
const IN_BEDROCK =
  /^(?:arn:aws|(?:[a-z-]{2,6}\.)?(?:anthropic|amazon|meta|mistral|cohere|ai21|deepseek|openai)\.)/;

/** A tracing project that may have its own prices. */
export interface PricedProject {
  readonly workspaceId: string;
  readonly name: string;
}

/** A folder that may have the prices of a tracing project. */
export interface PricesOfProject {
  readonly project: PricedProject;
  readonly folder: string;
}

/** The prices of calls: the `prices.json` of their project, then the user's, then the bundled data. */
export class PriceBook {
  readonly #file: CustomPricesFile;
  /** Price files of projects, by workspace and name. */
  readonly #projects = new Map<string, Map<string, CustomPricesFile>>();
  #bundled: BundledPrices | undefined;
  /** Why the bundled data is missing. */
  #missing: string | undefined;
  readonly #models = new Map<string, readonly Model[]>();
  readonly #found = new Map<string, { provider: string; model: Model } | undefined>();

  /** @param dataDir the folder of the user's own `prices.json`. */
  constructor(dataDir: string) {
    this.#file = new CustomPricesFile(path.join(dataDir, FILE));
  }

  /** Makes the `prices.json` in a folder take precedence for the calls of a project. */
  useFolder({ workspaceId, name }: PricedProject, folder: string): void {
    const files = this.#projects.get(workspaceId) ?? new Map<string, CustomPricesFile>();
    this.#projects.set(workspaceId, files);
    const file = path.join(folder, FILE);
    if (files.get(name)?.path !== file) files.set(name, new CustomPricesFile(file, { isForeign: true }));
  }

  /**
   * Describes the price lists for the users of a workspace, and says, by path, why price files are not used.
   */
  describe(workspaceId: string) {
    const { source, version, date } = this.bundled;
    const own = [...(this.#projects.get(workspaceId)?.values() ?? [])].filter(({ exists }) => exists);
    const problems = [this.#file, ...own].map((file): [string, string | undefined] => [
      file.path,
      file.problem,
    ]);
    if (this.#missing !== undefined) problems.push([BUNDLED, this.#missing]);
    return {
      source,
      version,
      date,
      file: this.#file.path,
      project_files: own.map((file) => file.path),
      problems: Object.fromEntries(
        problems.flatMap(([file, problem]) => (problem === undefined ? [] : [[file, problem]])),
      ),
    };
  }

  /**
   * The data that came with this version of Agent Harbor. If it is missing, traces are still stored, but without
   * prices.
   */
  get bundled(): BundledPrices {
    this.#bundled ??= this.#readBundled();
    return this.#bundled;
  }

  #readBundled(): BundledPrices {
    try {
      return BundledPrices.parse(JSON.parse(readFileSync(BUNDLED, 'utf8')));
    } catch (error) {
      this.#missing = messageOf(error);
      return { source: 'no bundled data', version: '', date: '', providers: [] };
    }
  }

  /**
   * Finds the price of a call. @param call.time when the call began.
   * @returns undefined when there is no price, because the model, its service tier or a part of its usage is unknown.
   */
  price(call: {
    readonly usage: TokenUsage;
    readonly facts: CallFacts;
    readonly time: Date;
    readonly project?: PricedProject | undefined;
  }): Priced | undefined {
    const { usage, facts, time, project } = call;
    const tier = facts.tier ?? usage.tier;
    const file = project && this.#projects.get(project.workspaceId)?.get(project.name);
    for (const model of facts.models) {
      const found = file?.find(model, facts.provider, time) ?? this.#file.find(model, facts.provider, time);
      if (found !== undefined) {
        const factor = factorOf(tier, found.provider ?? facts.provider ?? '', found.service_tiers);
        const items = factor === undefined ? undefined : priceCall(usage, found.prices, factor);
        return items && { model: found.model, from: FILE, items };
      }
      const listed = this.#find(model, facts.provider);
      if (listed === undefined) continue;
      const prices = pricesAt(listed.model.prices, time);
      const factor = factorOf(tier, listed.provider);
      const items = prices && factor !== undefined ? priceCall(usage, prices, factor) : undefined;
      const { source, version } = this.bundled;
      return items && { model: `${listed.provider}:${listed.model.id}`, from: `${source} ${version}`, items };
    }
    return undefined;
  }

  #find(model: string, provider: string | undefined): { provider: string; model: Model } | undefined {
    const key = `${provider ?? ''}\n${model}`;
    if (!this.#found.has(key)) {
      // The names come from clients, so there may be any number of them.
      if (this.#found.size > MAX_FOUND) this.#found.clear();
      this.#found.set(key, this.#search(model.toLowerCase(), provider));
    }
    return this.#found.get(key);
  }

  #search(model: string, named: string | undefined): { provider: string; model: Model } | undefined {
    const { providers } = this.bundled;
    const provider = named === undefined || GATEWAYS.test(named) ? undefined : this.#providerOf(named);
    if (provider !== undefined) return this.#modelOf(provider, model);
    if (named !== undefined && !GATEWAYS.test(named)) return undefined;
    const slash = model.indexOf('/');
    const prefixed = slash > 0 ? this.#providerOf(model.slice(0, slash)) : undefined;
    if (prefixed !== undefined) return this.#modelOf(prefixed, model.slice(slash + 1));
    const likely = IN_BEDROCK.test(model)
      ? providers.find(({ id }) => id === 'aws')
      : providers.find(({ model_match }) => model_match !== undefined && matches(model_match, model));
    return likely && this.#modelOf(likely, model);
  }

  #providerOf(named: string): Provider | undefined {
    const name = PROVIDERS.find(([pattern]) => pattern.test(named))?.[1] ?? named.toLowerCase();
    const { providers } = this.bundled;
    return (
      providers.find(({ id }) => id === name) ??
      providers.find(({ provider_match }) => provider_match !== undefined && matches(provider_match, name))
    );
  }

  /**
   * A provider's models are read only on request, because reading those of all providers takes longer than the rest of
   * the start.
   */
  #modelsOf(provider: Provider): readonly Model[] {
    const known = this.#models.get(provider.id) ?? BundledModels.parse(provider.models);
    this.#models.set(provider.id, known);
    return known;
  }

  #modelOf(provider: Provider, model: string): { provider: string; model: Model } | undefined {
    const found = this.#modelsOf(provider).find(({ match }) => matches(match, model));
    if (found !== undefined) return { provider: provider.id, model: found };
    // `claude-x-20260131` is also written `claude-x-2026-01-31`.
    const dated = model.replace(/-(20\d\d)(\d\d)(\d\d)(?=-|:|$)/, '-$1-$2-$3');
    if (dated !== model) return this.#modelOf(provider, dated);
    for (const id of provider.fallback_model_providers ?? []) {
      const other = this.bundled.providers.find((one) => one.id === id);
      const fallback = other && this.#modelOf(other, model);
      if (fallback !== undefined) return { ...fallback, provider: provider.id };
    }
    return undefined;
  }
}

type Provider = BundledPrices['providers'][number];
type Model = BundledModels[number];

/**
 * The factor by which a service tier multiplies the price. @param own the factors of a custom price.
 * @returns undefined for a tier whose price is not known.
 */
function factorOf(
  tier: string | undefined,
  provider: string,
  own: Readonly<Record<string, number>> = {},
): number | undefined {
  if (tier === undefined) return 1;
  // The tier comes from the trace, so it may also be a name such as `constructor`.
  if (Object.hasOwn(own, tier)) return own[tier];
  if (STANDARD_TIERS.test(tier)) return 1;
  return HALF_PRICE.get(tier.toLowerCase())?.includes(provider) ? 0.5 : undefined;
}
