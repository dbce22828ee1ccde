import { describe, expect, it } from "vitest";

import type { DiagnosticInfo, RunDocument } from "../../src/data/format.ts";
import { trust_words } from "../../src/trust.ts";
import { slider_crank } from "../fixtures/all.ts";

async function document_with(change: Partial<RunDocument>): Promise<RunDocument> {
  return { ...(await slider_crank(11).pack()).doc, ...change };
}

const kept = { integrator: "dop853", constraint: { max_position: 1.2e-14 }, energy: { max_imbalance: 3.1e-9 } };

describe("how far to trust a run", () => {
  it("tells what was measured, and that no error was estimated", async () => {
    const words = trust_words(await document_with({ status: "completed", summary: kept }));
    expect(words).toContain("1.2e−14 m");
    expect(words).toContain("3.1e−9 J");
    expect(words).toContain("--error-estimate");
  });

  it("tells the largest estimated errors", async () => {
    const channels = { a: { max: 2e-9, at: 1, unit: "m" }, b: { max: 5e-9, at: 1, unit: "m" }, c: { max: 1e-8, at: 1, unit: "rad" } };
    expect(trust_words(await document_with({ status: "completed", summary: { ...kept, error_estimate: { method: "finer", channels } } }))).toContain("5e−9 m and 1e−8 rad");
    const still = { b: { unit: "m", least: 0, largest: 1e-15 } }; // pinned to the ground
    expect(trust_words(await document_with({ status: "completed", summary: { ...kept, channels: still, error_estimate: { method: "finer", channels } } }))).toContain("2e−9 m and 1e−8 rad");
  });

  it("warns of a doubtful run with its reason", async () => {
    const why = { id: "numeric.doubtful", severity: "warning", found: "the energy is off by 3 J" } as DiagnosticInfo;
    const words = trust_words(await document_with({ status: "doubtful", summary: kept, diagnostics: [why] }));
    expect(words).toContain("Do not rely");
    expect(words).toContain("off by 3 J");
  });

  it("says that a run did not end", async () => {
    expect(trust_words(await document_with({ status: "interrupted", summary: kept }))).toContain("did not reach its end");
    expect(trust_words(await document_with({ status: "running", summary: {} }))).toContain("not judged yet");
  });
});
