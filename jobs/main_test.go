package jobs_test

import (
	"testing"

	"holdfast/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
