export * from "lightweight-charts";
