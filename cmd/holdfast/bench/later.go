package bench

import "context"

func (b *bench) confirm(ctx context.Context) error { return nil }
func (b *bench) sweep(ctx context.Context) error   { return nil }
func (b *bench) onSale(ctx context.Context) error  { return nil }
